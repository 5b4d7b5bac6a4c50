"""Twins of the checks that only warn, or that the table must ask for: broken never exits 0.

Built firmware under tables of its own: what is wrong in one build is right in its twin.
"""

import json
from pathlib import Path

import pytest

from mapinspect.cli.run import run

BUILT = Path(__file__).parents[2] / "fixtures" / "built"


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Run `check` on a built case under a table; the status and what broke, by check."""

    def run_check(case: str, table: str, *options: str) -> tuple[int, dict[str, str]]:
        config = tmp_path / "mapinspect.toml"
        config.write_text(f"version = 1\n{table}", encoding="utf-8")
        files = [f"--elf={BUILT / case / 'app.elf'}", f"--map={BUILT / case / 'app.map'}"]
        status = run(["check", f"--config={config}", "--format=json", *files, *options])
        findings = json.loads(capsys.readouterr().out)["findings"]
        told: dict[str, str] = {}
        for item in findings:
            if item["severity"] == "error":
                told[item["check"]] = f"{told.get(item['check'], '')}{item['message']}\n"
        return status, told

    return run_check


def strict(id_: str) -> str:
    return f'[checks]\n{id_} = "error"\n'


@pytest.mark.parametrize(
    ("table", "broken", "good", "check_id", "told"),
    [
        pytest.param(
            '[project]\nheap = "none"\n', "good", "riscv32", "heap-reachable",
            "asks for _malloc_r", id="a heap where none is promised",
        ),
        pytest.param(
            strict("static-constructors"), "cpp", "good", "static-constructors",
            "_GLOBAL__sub_I_main", id="constructors",
        ),
        pytest.param(
            strict("section-orphaned"), "weights-in-orphan-section", "good", "section-orphaned",
            ".model_data (41472 bytes)", id="an orphan",
        ),
        pytest.param(
            strict("constants-in-ram"), "tables-without-const", "good", "constants-in-ram",
            "bytes) lies in SRAM1", id="tables in RAM",
        ),
        pytest.param(
            strict("stack-collision"), "heap-without-limit", "good", "stack-collision",
            "no limit but the stack pointer", id="a heap without a limit",
        ),
        pytest.param(
            "", "stack-on-variables", "good", "stack-collision", ".bss lies in 4096 bytes",
            id="a stack on variables",
        ),
        pytest.param(
            "", "stack-top-misaligned", "good", "stack-misplaced", "no multiple of 8",
            id="a misaligned stack",
        ),
    ],
)  # fmt: skip
def test_the_broken_twin_fails_and_the_good_one_passes(
    check, table: str, broken: str, good: str, *, check_id: str, told: str
) -> None:
    status, found = check(broken, table)
    assert status == 1
    assert told in found[check_id]
    assert check(good, table)[0] == 0


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        pytest.param("STM32L476RE", 0, id="the part that the script is for"),
        pytest.param("STM32F401xC", 1, id="a part with half the Flash"),
    ],
)
def test_a_script_that_claims_more_than_the_part_has(check, part: str, expected: int) -> None:
    status, found = check("good", "", f"--mcu={part}")
    assert status == expected
    if expected:
        assert "FLASH ends at 0x08080000, 262144 bytes past FLASH" in found["region-beyond-part"]


def test_an_arena_on_a_heap_that_does_not_hold_it(check) -> None:
    model = BUILT.parent / "models" / "kws_int8.tflite"
    table = f"""\
[inputs]
models = [{{ name = "kws", file = "{model}", symbol = "g_kws_model", arena = "tensor_arena" }}]
"""
    status, found = check("arena-on-heap", table)
    assert status == 1
    assert (
        "12000 bytes in one piece, the largest free block has 4096"
        in (found["free-block-too-small"])
    )
