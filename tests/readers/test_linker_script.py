"""Regions of linker scripts; figures by GNU ld 2.40's own memory table, or by hand."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapinspect.errors import InputError
from mapinspect.model.image import Evidence, Span
from mapinspect.model.linker_script import LinkerScript
from mapinspect.readers.linker_script import include_beside, read_memory
from mapinspect.readers.source import SourceFile


def read(text: str, **files: str) -> LinkerScript:
    def include(place: Evidence, name: str) -> SourceFile:
        if name not in files:
            raise InputError(place.file, place.line, f"no {name}", "add it")
        return SourceFile(name, files[name].encode())

    return read_memory("app.ld", text.encode(), include)


def figures(script: LinkerScript) -> list[tuple[str, int, int, str]]:
    return [(r.name, r.span.start, r.span.size, r.attributes) for r in script.regions]


def region(text: str) -> tuple[int, int]:
    (only,) = read(text).regions
    return only.span.start, only.span.size


def refused(text: str, what: str, line: int | None = 1, **files: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        read(text, **files)
    assert caught.value.line == line
    assert caught.value.remedy


# What ld 2.40 prints as origin and length; negative values lie at the top of the address space.
@pytest.mark.parametrize(
    ("origin", "length", "expected"),
    [
        pytest.param("0x08000000", "64K", (0x0800_0000, 65536), id="K is 1024"),
        pytest.param("4k", "1M - 1", (4096, 1048575), id="suffixes in either case"),
        pytest.param("0x10k", "0x10m", (16384, 16777216), id="suffixes after hexadecimal"),
        pytest.param("010", "0FFh + 101b + 77o + 10d", (8, 333), id="octal and letter bases"),
        pytest.param("$10", "8", (16, 8), id="dollar hexadecimal"),
        pytest.param("1?2:0?3:4", "1||0&&0", (2, 1), id="ternary and logic"),
        pytest.param("0 ? 1 : 0 ? 2 : 3", "1 || 0 ? 5 : 6", (3, 5), id="ternary groups rightwards"),
        pytest.param("1<2>0", "1<<2+1", (1, 8), id="shift binds less than sum"),
        pytest.param("64 / 4 / 2 * 3", "7 % 4", (24, 3), id="chains group leftwards"),
        pytest.param("2 & 3 == 3", "1|2&1", (0, 1), id="comparison binds more than bits"),
        pytest.param("MAX(5, 3)", "MIN(5,3)", (5, 3), id="MAX and MIN"),
        pytest.param("ALIGN(5,8)", "LOG2CEIL(9)", (8, 4), id="ALIGN and LOG2CEIL"),
        pytest.param("ABSOLUTE(4)", 'SEGMENT_START("x",9)', (4, 9), id="ABSOLUTE, SEGMENT_START"),
        pytest.param("!5", "~5&0xff", (0, 250), id="not and complement"),
        pytest.param("-(-7/2)", "7 % -4", (3, 3), id="division truncates"),
        pytest.param("(1 > -1)", "-1 >= 1", (0, 1), id="comparison is unsigned"),
        pytest.param("((((1))))", "5==5!=0", (1, 1), id="parentheses"),
        pytest.param('ASSERT(1,"x")', "DEFINED(nope) ? 1 : 2", (1, 2), id="ASSERT and DEFINED"),
        pytest.param("0", "0", (0, 0), id="a region may have no length"),
    ],
)
def test_expressions_have_the_value_ld_gives_them(
    origin: str, length: str, expected: tuple[int, int]
) -> None:
    assert region(f"MEMORY {{ R : ORIGIN = {origin}, LENGTH = {length} }}") == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        pytest.param(
            "_a = 1; MEMORY { R : o = 4K + _a, l = LATE } LATE = 7; LATE = 9; _a = 2;",
            (0x1002, 9),
            id="the last assignment counts, wherever it stands",
        ),
        pytest.param(
            "x = 4; x += 4; x *= 2; x <<= 1; MEMORY { R : o = 0, l = x }", (0, 32), id="x +="
        ),
        pytest.param("PROVIDE(x = 4); MEMORY { R : o = 0, l = x }", (0, 4), id="PROVIDE defines"),
        pytest.param(
            "x = 1; PROVIDE(x = 2); MEMORY { R : o = x, l = 4 }", (1, 4), id="PROVIDE yields"
        ),
        pytest.param('"a b" = 4; MEMORY { R : o = 0, l = "a b" }', (0, 4), id="quoted symbol"),
        pytest.param("MEMORY { R : org = 8 len = 9 }", (8, 9), id="short words, no comma"),
        pytest.param(
            "h = DEFINED(k) ? k : 4; k = 3; MEMORY { R : o = 0, l = h }", (0, 4), id="DEFINED"
        ),
        pytest.param(
            "_e = . + ADDR(.text); MEMORY { R : o = 1, l = 2 }", (1, 2), id="unused is free"
        ),
        pytest.param("y = 4, MEMORY { R : o = 1, l = y }", (1, 4), id="a comma ends an assignment"),
    ],
)
def test_symbols_are_computed_as_ld_computes_them(script: str, expected: tuple[int, int]) -> None:
    assert region(script) == expected


def test_regions_may_rest_on_earlier_regions_and_aliases() -> None:
    script = read(
        """
        MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 512K
                 "my RAM" (RW!xi) : ORIGIN = 0x20000000, LENGTH = 96K }
        REGION_ALIAS("CODE", FLASH); REGION_ALIAS(BOOT, CODE)
        MEMORY { SLOT-A : ORIGIN = ORIGIN(CODE) + 64K, LENGTH = (LENGTH(BOOT) - 64K) / 2 }
        """
    )
    assert figures(script) == [
        ("FLASH", 0x0800_0000, 512 * 1024, "xr"),
        ("my RAM", 0x2000_0000, 96 * 1024, "rw!xl"),
        ("SLOT-A", 0x0801_0000, 224 * 1024, ""),
    ]
    assert [(alias.name, alias.region) for alias in script.aliases] == [
        ("CODE", "FLASH"),
        ("BOOT", "FLASH"),
    ]
    boot = script.region("BOOT")
    assert boot is not None
    assert boot.span == Span(0x0800_0000, 512 * 1024)
    assert boot.declared.line == 2
    assert script.region("nowhere") is None


def test_everything_but_memory_is_skipped() -> None:
    script = read(
        """
        /* MEMORY { WRONG : o = 0, l = 1 } */
        # 1 "app.ld.S"
        ENTRY(Reset_Handler) OUTPUT_FORMAT("elf32-littlearm", "elf32-bigarm", "elf32-littlearm")
        INPUT(-lc libm.a) GROUP(a.o AS_NEEDED(b.o)) EXTERN(x y); ;
        MEMORY { /* { */ R (xrw) : ORIGIN = 1, LENGTH = 2 /* } */ }
        SECTIONS {
          .text : { KEEP(*(.isr)) *lib/*.o(EXCLUDE_FILE(*a/*.o) .text*) /* } */ "}" = 3; } > R AT> R
          INCLUDE more.ld
        }
        INSERT AFTER .text;
        ASSERT(a < (b), "RAM { overflow")
        """
    )
    assert figures(script) == [("R", 1, 2, "xrw")]


@pytest.mark.parametrize(
    ("script", "what"),
    [
        pytest.param(
            "MEMORY { R : o = 0, l = SIZE }", "SIZE is defined nowhere", id="unknown name"
        ),
        pytest.param("z = y; y = 3; MEMORY { R : o = 0, l = z }", "z is not known", id="too early"),
        pytest.param(
            "MEMORY { R : o = 0, l = LENGTH(S) }", "region S is declared no", id="no region"
        ),
        pytest.param(
            "MEMORY { R : o = 0, l = 4 } s = LENGTH(R); MEMORY { S : o = 0, l = s }",
            "region R has no extent yet",
            id="a region through a symbol, where ld itself puts nonsense",
        ),
        pytest.param(
            "MEMORY { R : o = ALIGN(8), l = 4 }", "only the linker knows ALIGN", id="ALIGN"
        ),
        pytest.param("MEMORY { R : o = ADDR(.text), l = 4 }", "only the linker knows", id="ADDR"),
        pytest.param("MEMORY { R : o = ., l = 4 }", "only the linker knows .", id="dot"),
        pytest.param(
            "MEMORY { R : o = 0, l = 0-1 R2 : o = 2, l = 0-1 }", "beyond 64 bits", id="end"
        ),
        pytest.param("MEMORY { R : o = 7/0, l = 8 }", "divides by zero", id="zero"),
        pytest.param("MEMORY { R : o = 7%0, l = 8 }", "divides by zero", id="remainder of zero"),
        pytest.param("MEMORY { R : o = 0, l = 1<<64 }", "shifts by 64", id="shift"),
        pytest.param("MEMORY { R : o = 0, l = 0x1ffffffffffffffff }", "64 bits", id="number"),
        pytest.param("MEMORY { R : o = 08, l = 8 }", "no number of base 8", id="08"),
        pytest.param("MEMORY { R : o = 0, l = 8KB }", "cannot stand here", id="KB is no suffix"),
        pytest.param("MEMORY { R (rz) : o = 0, l = 8 }", "'z' is no attribute", id="attribute"),
        pytest.param(
            "MEMORY { R : o = 0, l = 8 R : o = 0, l = 8 }", "again, first at app.ld:1", id="R R"
        ),
        pytest.param(
            'MEMORY { R : o = 0, l = 8 } REGION_ALIAS("R", R)', "declared again", id="alias"
        ),
        pytest.param(
            'REGION_ALIAS("A", R) MEMORY { R : o = 0, l = 8 }', "nowhere above", id="early"
        ),
        pytest.param(
            f"MEMORY {{ R : o = 0, l = {'(1+' * 70}1{')' * 70} }}", "nested more", id="deep"
        ),
        pytest.param(
            "MEMORY { R : o = 0, l = ORIGIN(a+b) }", "takes one name", id="ORIGIN of a sum"
        ),
        pytest.param(
            "FOO(4) MEMORY { R : o = 0, l = 4 }", "cannot stand here", id="unknown command"
        ),
        pytest.param("MEMORY { R : o = 0, l = 4 /* }", "cannot stand here", id="open comment"),
    ],
)
def test_what_has_no_certain_value_is_refused_at_its_line(script: str, what: str) -> None:
    refused(script, what)


def test_text_that_ends_early_or_says_nothing_is_refused() -> None:
    refused("MEMORY { R : o = 0,", "ends in the middle", None)
    refused("ENTRY(x)", "declares no memory region", None)
    refused("MEMORY {}", "declares no memory region", None)
    refused("\x7fELF\0", "is no text", None)


def test_included_files_take_part_where_they_stand() -> None:
    script = read(
        'INCLUDE sizes.ld\nMEMORY { INCLUDE "ram.ld"\n FLASH : o = 0, l = SIZE }',
        **{"sizes.ld": "SIZE = 2K;", "ram.ld": "\n RAM (rw) : o = 8, l = SIZE"},
    )
    assert figures(script) == [("RAM", 8, 2048, "rw"), ("FLASH", 0, 2048, "")]
    assert script.regions[0].declared == Evidence("ram.ld", 2, "RAM (rw) : o = 8, l = SIZE")
    assert script.files == ("app.ld", "sizes.ld", "ram.ld")


def test_inclusion_ends_at_its_limits() -> None:
    refused("INCLUDE a", "more than 10 deep", a="INCLUDE a")
    many = "INCLUDE b\n" * 300
    refused(many, "too much text", 200, b="")
    refused("INCLUDE a", "too much text", 1, a="x = 1;\n" * 2_000_000)


def test_a_script_cannot_reach_outside_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "ld").mkdir(parents=True)
    (tmp_path / "secret.ld").write_text("x = 1;")
    (folder / "here.ld").write_text("x = 1;")
    (folder / "ld" / "below.ld").write_text("x = 2;")
    (folder / "link.ld").symlink_to(tmp_path / "secret.ld")
    script = folder / "app.ld"

    def attempt(name: str, *folders: Path) -> int:
        text = f'INCLUDE "{name}"\nMEMORY {{ R : o = 0, l = x }}'.encode()
        return read_memory("app.ld", text, include_beside(script, *folders)).regions[0].span.size

    assert attempt("here.ld") == 1
    assert attempt("ld/below.ld") == 2
    assert attempt("below.ld", folder / "ld") == 2
    for name in ("../secret.ld", str(tmp_path / "secret.ld"), "link.ld"):
        with pytest.raises(InputError, match="outside the script's folder"):
            attempt(name)
    for name in ("none.ld", "ld", "a" * 5000, "a\0b"):
        with pytest.raises(InputError, match=r"not beside the script|is no text"):
            attempt(name)


def test_answers_that_the_build_could_change_are_recorded_where_a_region_rests_on_them() -> None:
    script = read(
        "unused = DEFINED(other) ? 1 : 2;\nsize = DEFINED(big) ? 2K : 1K;\n"
        "MEMORY { R : o = 0, l = size }"
    )
    assert script.assumptions == (Evidence("app.ld", 2, "big is taken as not defined"),)
    given_value = read_memory(
        "app.ld",
        b"size = DEFINED(big) ? big : 1K; MEMORY { R : o = 0, l = size }",
        symbols={"big": 4096},
    )
    assert given_value.regions[0].span.size == 4096
    assert given_value.assumptions == ()


def test_deep_and_long_text_ends_in_a_refusal() -> None:
    refused("x = " + "-" * 100_000 + "1; MEMORY { R : o = 0, l = x }", "nested more than 64")
    refused("x = " + "(" * 100_000, "ends in the middle", None)
    refused("SECTIONS " + "{" * 100_000, "ends in the middle", None)
    refused("MEMORY { R : o = 0, l = " + "9" * 100_000 + " }", "no number of base 10")
    assert region("MEMORY { R : o = 0, l = " + "1+" * 10_000 + "1 }") == (0, 10_001)


WORDS = """MEMORY { } ( ) : , ; = += R ORIGIN LENGTH o l 0 1K 0x10 + - * / % << ? INCLUDE a
DEFINED ALIGN REGION_ALIAS "q" SECTIONS .text /* */ #if #endif #define"""


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*WORDS.split(), "\n"]) | st.text(max_size=3), max_size=30))
def test_only_input_errors_come_out(words: list[str]) -> None:
    text = " ".join(words)
    for candidate in (text, f"MEMORY {{ R : o = 1, l = 2 {text}", f"MEMORY {{R : o = {text}"):
        with suppress(InputError):
            read_memory("x.ld", candidate.encode("utf-8", "surrogatepass"))


def test_every_case_script_gives_the_regions_of_its_link(shared: Path) -> None:
    compared = 0
    for script in sorted(shared.glob("link_cases/*/link.ld")):
        truth = script.parent / "truth.json"
        said = json.loads(truth.read_text()).get("memory_regions") if truth.exists() else None
        if b"MEMORY" not in script.read_bytes() or not said:
            continue
        regions = read_memory(str(script), script.read_bytes(), include_beside(script)).regions
        expected = {name: (row[0], row[1]) for name, row in said.items()}
        expected.pop("*default*", None)
        assert {r.name: (r.span.start, r.span.size) for r in regions} == expected, script
        compared += 1
    assert compared >= 30


def test_every_region_that_rests_on_an_answer_of_its_own_records_it() -> None:
    regions = 40  # enough for grounds that are gone to leave their address to others
    lines = [f"R{at} : o = {at}K, l = DEFINED(a{at}) ? 2 : 1" for at in range(regions)]
    said = [item.text for item in read("MEMORY {\n" + "\n".join(lines) + "\n}").assumptions]
    assert said == [f"a{at} is taken as not defined" for at in range(regions)]
