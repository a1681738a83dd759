"""Commands run within the process: what they print, and how they refuse."""

from pyterrier_quantity import cli


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
