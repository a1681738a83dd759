"""Units of the user's own: in code, in files; malformed files name the line and the remedy."""

import subprocess
import sys

import pytest

from pyterrier_quantity.units import UnitFileError, UnitRegistry


@pytest.fixture
def registry():
    return UnitRegistry()


@pytest.fixture(scope="module")
def unchanged():
    """A registry for what must not change it."""
    return UnitRegistry()


@pytest.fixture
def write(tmp_path):
    def writer(text, name="own.tsv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return writer


def test_a_file_of_own_units(registry, write):
    path = write(
        "# our units\n"
        "name\tfamily\tfactor\tsurfaces\tsymbols\tbefore\tpint\n"
        "pallet\t\t\tpallet|euro-pallet\tplt\n"
        "smoot\tlength\t1.7018\tsmoot\tsm\n"
        "rundlet\tvolume\t\t\t\t\t18*gallon\n"
        "galactic credit\tcurrency:galactic credit\t\t=credits\t\tGC\n"
    )
    assert registry.load_tsv(path) == 4
    assert registry.match_after("5 euro-pallets a day", 1).unit == "pallet per day"
    assert registry.match_after("5 plt", 1).unit == "pallet"
    assert registry.convert(364.4, "smoot", "metre") == pytest.approx(620.13592)
    assert registry.convert(1, "rundlet", "gallon") == pytest.approx(18)
    assert registry.match_before("GC5", 2).unit == "galactic credit"
    assert registry.resolve("credits per pallet") == "galactic credit per pallet"
    assert registry.family("galactic credit per pallet") == "price per pallet in galactic credit"


def test_own_spellings_win_over_the_built_in(registry):
    registry.add("nautical mile", surfaces=["mile"], family="length", factor=1852)
    assert registry.match_after("5 miles", 1).unit == "nautical mile"
    registry.add("gold franc", surfaces=["franc"], before=["$"], family="currency:gold franc")
    assert registry.match_before("$5", 1).unit == "gold franc"
    assert registry.match_after("5 francs", 1).unit == "gold franc"


def test_a_unit_of_ones_own_with_prefixes_and_doubt(registry, write):
    registry.load_tsv(write("name\tfamily\tsymbols\tsi\nflop\tcomputation\tFlop\tk M G T\nzed\t\tzz?\t\n"))
    assert registry.match_after("5 TFlop", 1).unit == "teraflop"
    assert registry.convert(1, "teraflop", "gigaflop") == 1000
    assert registry.match_after("5 zz", 1).confidence < 1


@pytest.mark.parametrize(
    ("text", "line", "remedy"),
    [
        ("name\tfactor\nfoo\tabc\n", "line 2", "write it like 0.3048"),
        ("name\tfactor\n# c\n\nfoo\t0\n", "line 4", "factor is 0"),
        ("name\tfactor\nfoo\tnan\n", "line 2", "not a finite number"),
        ("name\tfactor\nfoo\tinf\n", "line 2", "not a finite number"),
        ("name\tcolour\nfoo\tred\n", "line 1", "unknown column 'colour'"),
        ("family\nlength\n", "line 1", "lacks the column 'name'"),
        ("name\tfamily\n\tlength\n", "line 2", "give the unit's name"),
        ("name\nfoo\tbar\tbaz\n", "line 2", "remove the surplus tabs"),
        ("name\tsi\nfoo\tq\n", "line 2", "not an SI prefix"),
        ("name\tpint\nfoo\t3*gloop\n", "line 2", "correct the pint column"),
        ("name\tfamily\tpint\nfoo\tlength\tkilogram\n", "line 2", "correct the pint column"),
        ("", "empty", "name the columns"),
        (b"name\nf\xff\xfeoo\n", "UTF-8", "save the file as UTF-8"),
    ],
)
def test_malformed_files_say_where_and_what_to_do(unchanged, write, text, line, remedy):
    path = write(text)
    with pytest.raises(UnitFileError) as caught:
        unchanged.load_tsv(path)
    assert str(path) in str(caught.value)
    assert line in str(caught.value)
    assert remedy in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": " "}, "name"),
        ({"name": "foo", "factor": 0.0}, "factor"),
        ({"name": "foo", "factor": float("nan")}, "factor"),
    ],
)
def test_impossible_units_in_code(unchanged, arguments, message):
    with pytest.raises(ValueError, match=message):
        unchanged.add(**arguments)


def test_the_built_in_units_need_no_pint():
    code = (
        "import sys; sys.modules['pint'] = None\n"
        "from pyterrier_quantity.units import default_registry\n"
        "r = default_registry()\n"
        "assert r.convert(1, 'mile', 'kilometre') == 1.609344\n"
        "try:\n    r.add('hand', pint='4*inch')\n"
        "except ImportError as error:\n    assert 'pyterrier-quantity[units]' in str(error)\n"
        "else:\n    raise SystemExit('pint was not missed')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
