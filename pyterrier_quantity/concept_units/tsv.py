"""Tab-separated files that people also open in spreadsheets: read with errors that name the place, written at once."""

from __future__ import annotations

import csv
import io
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pyterrier_quantity._folder import sync
from pyterrier_quantity.datasets.files import CollectionError, lines

_LONGEST = 1 << 27
"""Characters of a cell: csv's own limit is less than some documents have."""


def read_rows(
    path: Path, needed: Sequence[str], optional: Sequence[str] = (), untouched: Sequence[str] = ()
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table with a header, each with its line number, by the names of the columns.

    Args:
        path: UTF-8, tab-separated, cells quoted as spreadsheets quote them.
        needed: columns that must be there.
        optional: columns that are "" where they are not there; others are left out.
        untouched: needed columns whose cells keep the blanks at their ends.

    Raises:
        CollectionError: naming file and line, if the header lacks a column or a row is too short or too long.
    """
    header: list[str] | None = None
    csv.field_size_limit(_LONGEST)
    for number, text in lines(path):
        try:
            cells = next(csv.reader([text], dialect="excel-tab"))
        except csv.Error as error:
            raise CollectionError(path, number, f"{error}; is it a tab-separated table?") from error
        if header is None:
            header = [cell.strip() for cell in cells]
            missing = [name for name in (*needed, *untouched) if name not in header]
            if missing:
                raise CollectionError(
                    path,
                    number,
                    f"the header has no column {missing[0]!r}, only "
                    f"{', '.join(header)[:200]}; it needs {', '.join((*needed, *untouched))}",
                )
            continue
        if len(cells) > len(header):
            raise CollectionError(
                path,
                number,
                f"{len(cells)} columns where {len(header)} are expected "
                f"({', '.join(header)}); columns are parted by single tabs",
            )
        row = dict(zip(header, cells, strict=False))
        for name in (*needed, *untouched):
            if not row.get(name, "").strip():
                raise CollectionError(path, number, f"column {name!r} is empty; fill it in or drop the line")
        found = {name: row.get(name, "").strip() for name in (*needed, *optional)}
        yield number, found | {name: row[name] for name in untouched}
    if header is None:
        raise CollectionError(path, 1, f"the file is empty; its first line must name the columns {', '.join(needed)}")


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], quoted: bool = True) -> None:
    """Write a table so that the file is at every moment either the old one or the new one.

    Tabs and line breaks within cells become blanks, each one blank, so that places in a text stay what they are.

    Args:
        quoted: quote cells with quotation marks, as spreadsheets do; not in topics, which are taken as typed.
    """
    stream = io.StringIO()
    cells = ([_one_line(str(cell)) for cell in row] for row in (header, *rows))
    if quoted:
        csv.writer(stream, dialect="excel-tab", lineterminator="\n").writerows(cells)
    else:
        stream.writelines("\t".join(row) + "\n" for row in cells)
    write_text(path, stream.getvalue())


def write_text(path: Path, text: str) -> None:
    """Write a file at once and durably: a crash leaves the old one or the new one.

    Raises:
        OSError: naming the file, if it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8", "surrogatepass"))
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    sync(path.parent)


_BREAKS = str.maketrans(dict.fromkeys("\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", " "))


def _one_line(text: str) -> str:
    return text.translate(_BREAKS)
