"""Which files are read at all: regular ones of a sensible size that nobody writes meanwhile."""

import os
from pathlib import Path

import pytest

from mapinspect.errors import InputError
from mapinspect.readers import source
from mapinspect.readers.source import SIZE_LIMIT, read_source


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_source(path, "app.map", "link map")
    return caught.value.what


def test_a_file_is_read_with_the_time_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "app.map"
    path.write_bytes(b"abc")
    os.utime(path, (5, 7))
    found = read_source(path, "app.map", "link map")
    assert (found.path, found.content, found.modified) == ("app.map", b"abc", 7)


@pytest.mark.parametrize("more", [b"", b"d"], ids=["rewritten", "appended to"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: bytes
) -> None:
    path = tmp_path / "app.map"
    path.write_bytes(b"abc")
    real, asked = os.fstat, []

    def fstat(number: int) -> os.stat_result:
        if asked:
            path.write_bytes(b"xyz" + more)
            os.utime(path, (9, 9))
        asked.append(number)
        return real(number)

    monkeypatch.setattr(source.os, "fstat", fstat)
    assert refusal(path) == "changed while it was read"


def test_a_file_beyond_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "app.map"
    path.touch()
    os.truncate(path, SIZE_LIMIT + 1)  # all of it a hole: nothing is stored
    assert refusal(path) == "is larger than 512 MiB"


def test_folders_pipes_and_empty_files_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path) == "is a folder"
    (tmp_path / "empty").touch()
    assert refusal(tmp_path / "empty") == "the link map is empty"
    assert refusal(tmp_path / "absent") == "no such link map"
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == "is no regular file"
