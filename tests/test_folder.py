"""Folders that change in one step: kills at every point, readers and writers at once, leavings, foreign files."""

import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import kills
import pytest
from kills import names, read, write, write_aside

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.storage import folders
from pyterrier_quantity.storage.folders import META_FILE, moved_into_place, new_part, part_names, remove_left_over


def write_often(path, text):
    for _ in range(10):
        write(path, text)


def read_until(over, path) -> int:
    """How often a whole text was read."""
    found = 0
    while not over.is_set():
        try:
            text = read(path)
        except FileNotFoundError:
            continue  # the part was replaced between its name and its file: look again
        assert text == text[0] * 1000
        found += 1
    return found


@pytest.mark.parametrize(("work", "steps"), [("write", 10), ("write_aside", 5)])
def test_a_kill_at_any_point_leaves_the_old_or_the_new(tmp_path, work, steps):
    done = subprocess.run([sys.executable, kills.__file__, work, tmp_path / "i"], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    found = done.stdout.split()
    assert len(found) > steps
    assert found == sorted(found, key=["old", "new"].index)
    assert found[-1] == "new"


class TestParts:
    def test_what_is_not_published_vanishes(self, tmp_path):
        path = tmp_path / "i"
        with pytest.raises(FileNotFoundError), new_part(path) as part:
            (part / "nowhere" / "file.txt").write_text("x")
        assert names(tmp_path) == []
        write(path, "one")
        with new_part(path):
            pass
        assert names(path) == [part_names(path)[0], META_FILE]
        assert read(path) == "one"

    def test_many_writers_and_readers_at_once(self, tmp_path):
        path, over = tmp_path / "i", threading.Event()
        write(path, "0" * 1000)
        with ThreadPoolExecutor(5) as pool:
            readers = [pool.submit(read_until, over, path) for _ in range(2)]
            writers = [pool.submit(write_often, path, name * 1000) for name in "abc"]
            for writer in writers:
                writer.result()
            over.set()
            assert sum(reader.result() for reader in readers) > 0
        assert names(path) == [part_names(path)[0], META_FILE]

    def test_a_part_that_another_process_writes_stays(self, tmp_path):
        path = tmp_path / "i"
        script = """
            import sys
            from pathlib import Path
            from pyterrier_quantity.storage.folders import new_part
            with new_part(Path(sys.argv[1])) as part:
                print(part, flush=True)
                sys.stdin.read()
        """
        with subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script), str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            part = process.stdout.readline().decode().strip()
            write(path, "mine")
            remove_left_over(path)
            assert os.path.isdir(part)
            process.kill()
        assert os.path.isdir(part)
        remove_left_over(path)
        assert not os.path.exists(part)
        assert read(path) == "mine"

    def test_damaged_names_are_no_reason_to_remove(self, tmp_path):
        path = tmp_path / "i"
        write(path, "one")
        (path / META_FILE).write_text((path / META_FILE).read_text().replace("part-", "part_"))
        kept = names(path)
        remove_left_over(path)
        assert names(path) == kept


class TestAside:
    def test_where_the_system_cannot_exchange(self, tmp_path, monkeypatch):
        monkeypatch.setattr(folders, "_exchange", lambda one, other: False)
        path = tmp_path / "i"
        for text in ("one", "two"):
            write_aside(path, text)
        assert names(tmp_path) == ["i"]
        path.rename(tmp_path / ".i.0123abcd.tmp.old")  # killed between the two renames
        with pytest.raises(FileNotFoundError), moved_into_place(path) as aside:
            (aside / "nowhere" / "file.txt").write_text("x")
        assert (path / "file.txt").read_text() == "two"
        assert names(tmp_path) == ["i"]

    def test_a_link_stays_a_link(self, tmp_path):
        (tmp_path / "disk").mkdir()
        (tmp_path / "i").symlink_to(tmp_path / "disk")
        with moved_into_place(tmp_path / "i") as aside:
            (aside / "file.txt").write_text("x")
        assert (tmp_path / "i").is_symlink()
        assert (tmp_path / "disk" / "file.txt").read_text() == "x"
        assert names(tmp_path) == ["disk", "i"]


ONE, OTHER = [{"docno": "old", "text": "5 kg"}], [{"docno": f"new{n}", "text": f"{n} km, 7 kg"} for n in range(50)]


class TestIndex:
    def test_a_reader_stays_with_what_it_opened(self, tmp_path):
        path = tmp_path / "i"
        QuantityIndex(path).index(ONE)
        reader = QuantityIndex(path)
        assert len(reader) == 1
        QuantityIndex(path).index(OTHER, overwrite=True)
        assert [q.low for q in reader.quantities("old")] == [5.0]
        reader.forget()
        assert [q.unit for q in reader.quantities("new3")] == ["kilometre", "kilogram"]

    def test_foreign_files_are_refused_and_kept(self, tmp_path):
        path = tmp_path / "i"
        QuantityIndex(path).index(ONE)
        (path / "notes.txt").write_text("precious")
        with pytest.raises(
            FileExistsError, match=r"holds 'notes\.txt', which is not part of a quantity index; move it"
        ):
            QuantityIndex(path).index(OTHER, overwrite=True)
        assert (path / "notes.txt").read_text() == "precious"
        assert len(QuantityIndex(path)) == 1

    def test_of_two_that_build_at_once_the_second_is_told(self, tmp_path):
        path = tmp_path / "i"

        def documents():
            QuantityIndex(path).index(ONE)
            yield from OTHER

        with pytest.raises(FileExistsError, match="holds a quantity index already; pass overwrite"):
            QuantityIndex(path).index(documents())
        assert len(QuantityIndex(path)) == 1
        assert len(names(path)) == 2
