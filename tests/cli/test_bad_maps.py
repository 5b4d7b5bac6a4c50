"""Every damaged map of the shared collection beside its ELF: the exit status its index asks for."""

import json
import shutil
from pathlib import Path

import pytest

from mapinspect.cli.run import run

# bad_inputs/INDEX.md; m09 is the same file as m00. A section outside every region is FAIL by
# trustworthy_gate.md, check 13, also where it is the region that is gone without a trace (m06).
PASSES = {
    "m00_good", "m09_size_2_80", "m12_badutf8", "m13_crlf", "m14_cr_only", "m15_utf16", "m16_bom",
    "m22_translated_de", "m24_html_path",
}  # fmt: skip
FAILS = {"m06_region_missing": ".data", "m08_region_len0": "RAM", "m21_failed_link": "RAM"}


def test_every_damaged_map_gets_its_answer(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elf = shared / "bad_inputs" / "pairs" / "tiny.elf"
    maps = sorted((shared / "bad_inputs" / "map").glob("*.map"))
    assert len(maps) >= 33
    for path in maps:
        shutil.copyfile(path, tmp_path / "app.map")
        given = ["--elf", str(elf), "--map", str(tmp_path / "app.map")]
        status = run(["check", *given, "--format", "json"])
        report = json.loads(capsys.readouterr().out)
        expected = 0 if path.stem in PASSES else 1 if path.stem in FAILS else 2
        assert (path.stem, status) == (path.stem, expected)
        if path.stem in FAILS:
            broken = [item["subject"] for item in report["findings"] if item["severity"] == "error"]
            assert FAILS[path.stem] in broken


@pytest.mark.parametrize(
    ("name", "status"),
    [
        pytest.param("m21_failed_link", 1, id="an overflow is proof without an ELF"),
        pytest.param("m27_addr_outside", 1, id="so is a section outside every region"),
        pytest.param("m28_undefined_symbol", 2, id="that the link succeeded, a map cannot prove"),
        pytest.param("m00_good", 2, id="not even a good one"),
    ],
)
def test_a_map_alone(name: str, status: int, shared: Path) -> None:
    assert run(["check", "--map", str(shared / "bad_inputs" / "map" / f"{name}.map")]) == status
