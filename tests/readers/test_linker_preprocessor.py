"""Linker scripts that still have C preprocessor directives; what remains, by the C rules."""

import pytest

from mapinspect.errors import InputError
from mapinspect.model.image import Evidence
from mapinspect.model.linker_script import LinkerScript
from mapinspect.readers.linker_script import read_memory
from mapinspect.readers.source import SourceFile


def read(text: str, symbols: dict[str, int] | None = None, **files: str) -> LinkerScript:
    def include(place: Evidence, name: str) -> SourceFile:
        if name not in files:
            raise InputError(place.file, place.line, f"no {name}", "add it")
        return SourceFile(name, files[name].encode())

    return read_memory("app.ld", text.encode(), include, symbols)


PREPROCESSED = """\
#include "parts.h"
#define RAM_START  0x20000000  /* SRAM1 */
#if defined(BIG) && BIG > 1
#  define RAM_SIZE (256K)
#elif PART == 476UL
#  define RAM_SIZE (96K - \\
     GUARD)
#else
#  error which part?
#endif
MEMORY
{
  RAM (xrw) : ORIGIN = RAM_START, LENGTH = RAM_SIZE // all of it
#ifdef USE_CCM
  CCM (rw)  : ORIGIN = 0x10000000, LENGTH = 32K
#endif
#ifndef FLASH_SIZE
#define FLASH_SIZE 512K
#endif
  FLASH (rx) : ORIGIN = 0x08000000, LENGTH = FLASH_SIZE
}
"""
RAM = "MEMORY { RAM : o = 1, l = 2 }"
PARTS = "#ifndef PARTS_H\n#define PARTS_H\n#define PART 476\n#define GUARD 32\n#endif\n"


def figures(script: LinkerScript) -> list[tuple[str, int, int, str]]:
    return [(r.name, r.span.start, r.span.size, r.attributes) for r in script.regions]


def test_scripts_before_the_preprocessor_are_read_with_their_plain_macros() -> None:
    script = read(PREPROCESSED, **{"parts.h": PARTS})
    assert figures(script) == [
        ("RAM", 0x2000_0000, 96 * 1024 - 32, "xrw"),
        ("FLASH", 0x0800_0000, 512 * 1024, "xr"),
    ]
    assert script.regions[1].declared.line == 20
    assert [(said.line, said.text) for said in script.assumptions] == [
        (3, "BIG is taken as not defined"),
        (14, "USE_CCM is taken as not defined"),
        (17, "FLASH_SIZE is taken as not defined"),
    ]


def test_macros_given_by_the_build_decide_conditions() -> None:
    script = read(PREPROCESSED, {"BIG": 2, "USE_CCM": 1}, **{"parts.h": PARTS})
    assert [r.name for r in script.regions] == ["RAM", "CCM", "FLASH"]
    assert script.regions[0].span.size == 256 * 1024


@pytest.mark.parametrize(
    ("script", "what", "line"),
    [
        pytest.param("#define K(x) x\nA = K(4);", "K is a macro with arguments", 2, id="arguments"),
        pytest.param("#if 1\nMEMORY { R : o = 0, l = 1 }", "#if has no #endif", 1, id="open"),
        pytest.param("\n#endif", "#endif has no #if", 2, id="closed twice"),
        pytest.param("#if FOO(3)\n#endif", "cannot be decided", 1, id="call in a condition"),
        pytest.param("#if 1 +\n#endif", "cannot be decided", 1, id="half a condition"),
        pytest.param("#error no part", "says #error no part", 1, id="error"),
        pytest.param("#include MACRO", "names no file", 1, id="computed include"),
        pytest.param("#define X 1\n/* never closed", "opens a comment", 2, id="comment"),
        pytest.param("#include <zephyr/x.h>", "no zephyr/x.h", 1, id="system header"),
        pytest.param("#include <a>", "more than 10 deep", 1, id="header in itself"),
    ],
)
def test_directives_that_cannot_be_followed_are_refused(script: str, what: str, line: int) -> None:
    with pytest.raises(InputError, match=what) as caught:
        read(script, a="#include <a>")
    assert caught.value.line == line


def test_what_is_left_out_is_not_looked_at() -> None:
    script = read("#if 0\n#error x\n#include <none>\n#if F(\n#endif\nMEMORY {{\n#endif\n" + RAM)
    assert figures(script) == [("RAM", 1, 2, "")]


def test_a_script_without_directives_keeps_its_own_comments() -> None:
    assert figures(read(f"# don't \"\n{RAM} # and more\n")) == [("RAM", 1, 2, "")]


def test_macros_that_multiply_are_stopped() -> None:
    doubling = "".join(f"#define M{n} M{n + 1} M{n + 1}\n" for n in range(40))
    with pytest.raises(InputError, match="grow beyond measure") as caught:
        read(f"{doubling}M0")
    assert caught.value.line == 41
    with pytest.raises(InputError, match="cannot stand here"):
        read("#define A A B\n#define B A\nA")
