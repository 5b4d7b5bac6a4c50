"""Twins of the checks that only warn, or that the table must ask for: broken never exits 0.

Built firmware under tables of its own: what is wrong in one build is right in its twin.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from mapinspect.cli.run import run
from tests.elf_builder import ElfSectionSpec, ElfSymbolSpec, bss, build_elf, data, text

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
        pytest.param("RP2040", 2, id="a part whose Flash lies elsewhere"),
    ],
)
def test_a_script_that_claims_more_than_the_part_has(check, part: str, expected: int) -> None:
    status, found = check("good", "", f"--mcu={part}")
    assert status == expected
    if expected == 1:
        assert "FLASH ends at 0x08080000, 262144 bytes past FLASH" in found["region-beyond-part"]


def test_flash_outside_the_part_is_meant_where_the_table_says_so(check) -> None:
    rows = "".join(f'[[region]]\nname = "{name}"\n' for name in ("SRAM1", "SRAM2"))
    rows += '[[region]]\nname = "FLASH"\nkind = "external-flash"\n'
    assert check("good", rows, "--mcu=RP2040")[0] != 2


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


@pytest.fixture
def made(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Run `check` on an ELF made for the purpose, with warnings that fail; status and checks."""

    def run_made(
        *symbols: ElfSymbolSpec,
        at: int = 0x2000_0000,
        options: tuple[str, ...] = (),
        sections: Sequence[ElfSectionSpec] = (),
        entry: int = 0,
    ) -> tuple[int, list[str]]:
        elf = tmp_path / "app.elf"
        given = sections or [text(bytes(64)), bss(4096, vma=at)]
        elf.write_bytes(build_elf(given, symbols, entry=entry))
        wanted = ["--mcu=STM32F407VG", "--fail-on=warning", "--format=json", *options]
        status = run(["check", f"--elf={elf}", *wanted])
        findings = json.loads(capsys.readouterr().out)["findings"]
        return status, [item["check"] for item in findings if item["severity"] == "error"]

    return run_made


@pytest.mark.parametrize(
    ("bank", "expected"),
    [
        pytest.param(0x1000_0000, (1, ["dma-unreachable"]), id="in CCM"),
        pytest.param(0x2000_0000, (0, []), id="in SRAM1"),
    ],
)
def test_a_buffer_for_dma_in_core_coupled_memory(
    made, bank: int, expected: tuple[int, list[str]]
) -> None:
    buffer = ElfSymbolSpec("adc_dma_buffer", bank, 512, section=".bss")
    assert made(buffer, at=bank) == expected


@pytest.mark.parametrize(
    ("lma", "expected"),
    [
        pytest.param(None, (1, ["data-not-stored"]), id="forgotten"),
        pytest.param(0x2000_1000, (1, ["data-not-stored"]), id="AT an address of RAM"),
        pytest.param(0x0800_1000, (0, []), id="AT> FLASH"),
    ],
)
def test_initial_values_that_no_flash_holds(
    made, lma: int | None, expected: tuple[int, list[str]]
) -> None:
    sections = [text(bytes(64)), data(b"abcd", lma=lma)]
    assert made(sections=sections, entry=0x0800_0000) == expected


def test_a_stack_that_measurements_leave_out(made, tmp_path: Path) -> None:
    stacks = (
        ElfSymbolSpec("camera_stack", 0x2000_0000, 512, section=".bss"),
        ElfSymbolSpec("radio_stack", 0x2000_0200, 512, section=".bss"),
    )
    head = "version = 1\n[run]\niterations = 1000\n"
    row = '[[measured]]\nid = "stack.{0}.peak"\nsubject = "{0}"\nbytes = 90\n'
    measured = tmp_path / "measured.toml"
    option = (f"--measured={measured}",)
    elf = tmp_path / "app.elf"
    made(*stacks)
    build = f'build-id = "{hashlib.sha256(elf.read_bytes()).hexdigest()}"\n'
    measured.write_text(head + build + row.format("camera"))
    assert made(*stacks, options=option) == (1, ["stacks-unproven"])
    measured.write_text(head + build + row.format("camera") + row.format("radio"))
    assert made(*stacks, options=option) == (0, [])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b"\0\0\0\1", 1, id="values"),
        pytest.param(bytes(4), 0, id="zeros, which may be meant to outlive a reset"),
    ],
)
def test_only_values_that_are_lost_fail_without_being_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, expected: int
) -> None:
    elf = tmp_path / "app.elf"
    elf.write_bytes(build_elf([text(bytes(64)), data(content)], entry=0x0800_0000))
    assert run(["check", f"--elf={elf}", "--mcu=STM32F407VG"]) == expected
    assert "[data-not-stored]: .data (4 bytes)" in capsys.readouterr().out
