"""Commands run within the process: what they print, and how they refuse."""

import sys

from pyterrier_quantity import cli


def program(*argv):
    """The command line of a process that runs a command."""
    return [sys.executable, "-c", "import sys; from pyterrier_quantity.cli import main; sys.exit(main())", *argv]


def ran(capsys, *argv):
    """Output of a command that must succeed."""
    code = cli.main(list(argv))
    out = capsys.readouterr()
    assert code == 0, out.err
    return out.out


def refused(capsys, *argv):
    """Error message of a command that must fail, in one line."""
    assert cli.main(list(argv)) == 2
    out = capsys.readouterr()
    assert out.err.startswith("pyterrier-quantity: error: ")
    assert out.err.count("\n") == 1
    assert "Traceback" not in out.err
    return out.err
