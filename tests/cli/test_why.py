"""``mapinspect why``: the references that pull a member in, as the map's tables state them."""

import json
from pathlib import Path
from typing import Any

import pytest

from mapinspect.cli.run import run
from tests.linked import link

GOOD = Path(__file__).parents[2] / "fixtures" / "built" / "good" / "app.map"


def members(capsys: pytest.CaptureFixture[str], name: str, path: Path = GOOD) -> list[Any]:
    status = run(["why", name, "--map", str(path), "--format", "json"])
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert (document["format"], document["version"]) == ("mapinspect-why", 1)
    return document["members"]


def test_the_chain_leads_to_a_file_that_was_named(capsys: pytest.CaptureFixture[str]) -> None:
    """As the first lines of the map say: features.o → cepstrum.o → tables.o."""
    (tables,) = members(capsys, "libdsp.a(tables.o)")
    steps = [(step["object"], step["symbol"], step["requester"]) for step in tables["because"]]
    assert steps == [
        ("tables.o", "dsp_circle", "libdsp.a(cepstrum.o)"),
        ("cepstrum.o", "dsp_mel", "features.o"),
    ]
    assert {"symbol": "dsp_window", "files": ["libdsp.a(spectrum.o)"]}.items() <= next(
        use for use in tables["used_by"] if use["symbol"] == "dsp_window"
    ).items()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("tables.o", id="the member alone"),
        pytest.param("libdsp.a(tables.o)", id="with its archive"),
        pytest.param("*tables*", id="a glob"),
    ],
)
def test_a_member_is_named_in_several_ways(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert [item["object"] for item in members(capsys, name)] == ["tables.o"]


def test_an_archive_is_named_without_its_folder(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = members(capsys, "libc_nano.a(lib_a-snprintf.o)")
    assert found["because"][0]["requester"] == "main.o"


def test_an_object_of_the_command_line_needs_no_reason(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = members(capsys, "main.o")
    assert found["because"] == []
    status = run(["why", "main.o", "--map", str(GOOD)])
    assert (status, "named to the linker itself" in capsys.readouterr().out) == (0, True)


def test_text_says_each_step_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", "libdsp.a(tables.o)", "--map", str(GOOD)]) == 0
    out = capsys.readouterr().out
    step = "  libdsp.a(cepstrum.o) refers to dsp_circle of libdsp.a(tables.o)"
    assert f"{step}  ({GOOD}:5)" in out
    assert "dsp_window is used by libdsp.a(spectrum.o)" in out


def test_a_name_that_is_not_there_gets_the_nearest_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = run(["why", "tabels.o", "--map", str(GOOD)])
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert "did you mean tables.o" in err


@pytest.mark.toolchain
def test_without_archives_the_remedy_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = link(tmp_path, "arm", "SECTIONS { .text 0x100 : { *(.text) } }", " .space 4\n")
    assert run(["why", "x.o", "--map", str(image.map)]) == 2
    assert "nothing was taken from an archive" in capsys.readouterr().err


@pytest.mark.corpus
def test_command_line_and_plugin_are_requesters_too(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = shared / "link_cases"
    (forced,) = members(capsys, "dep.o", cases / "arm_whole_archive" / "case.map")
    assert [(s["symbol"], s["requester"]) for s in forced["because"]] == [("--whole-archive", None)]
    (plain,) = members(capsys, "c.o", cases / "arm_lto_archive" / "case.map")
    assert [step["object"] for step in plain["because"]] == ["c.o", "b.o"]
