"""What a link command asks for; tests/integration has the real tools say the same."""

from pathlib import Path

import pytest

from mapinspect.cli.link_arguments import asking_for_map, link_arguments, map_file

GCC = "arm-none-eabi-gcc"


@pytest.mark.parametrize(
    ("words", "map_"),
    [
        pytest.param(["-Wl,-Map=fw.map"], "fw.map", id="the usual way"),
        pytest.param(["-Wl,-Map,fw.map"], "fw.map", id="as two words of the linker"),
        pytest.param(["-Wl,--Map=fw.map"], "fw.map", id="with two dashes"),
        pytest.param(["-Wl,--cref,-Map=fw.map,--gc-sections"], "fw.map", id="among others"),
        pytest.param(["-Xlinker", "-Map=fw.map"], "fw.map", id="by -Xlinker"),
        pytest.param(["-Xlinker", "-Map", "-Xlinker", "fw.map"], "fw.map", id="by two -Xlinker"),
        pytest.param(["-Wl,-Map", "-Xlinker", "fw.map"], "fw.map", id="by both ways at once"),
        pytest.param(["-Wl,-Map=a.map", "-Wl,-Map=b.map"], "b.map", id="the last one counts"),
        pytest.param(["-Wl,-Map=a b é.map"], "a b é.map", id="with blanks"),
        pytest.param(["-Wl,-Map=a=b.map"], "a=b.map", id="with an equals sign"),
        pytest.param([], None, id="not at all"),
        pytest.param(["-M"], None, id="the driver's -M is for make rules"),
        pytest.param(["-Wl,-Map=fw.map", "-Wl,-M"], None, id="printed instead"),
        pytest.param(["-Wl,-Map=-"], None, id="to the terminal"),
        pytest.param(["-Wl,-Map=%"], "out/fw.elf.map", id="after the output file"),
        pytest.param(["-Wl,-Map=%.txt"], "out/fw.elf.txt", id="after it with another end"),
    ],
)
def test_the_map_a_driver_is_asked_for(words: list[str], map_: str | None) -> None:
    found = link_arguments([GCC, "main.o", *words, "-o", "out/fw.elf"])
    assert (found.output, found.map) == ("out/fw.elf", map_)


@pytest.mark.parametrize("words", [["-Map=fw.map"], ["-Map", "fw.map"], ["--Map", "fw.map"]])
def test_the_map_a_linker_is_asked_for(words: list[str]) -> None:
    assert link_arguments(["arm-none-eabi-ld", *words, "a.o"]).map == "fw.map"


@pytest.mark.parametrize(
    ("words", "output"),
    [
        pytest.param(["-o", "fw.elf"], "fw.elf", id="two words"),
        pytest.param(["-ofw.elf"], "fw.elf", id="one word"),
        pytest.param(["--output=fw.elf"], "fw.elf", id="ld's long option"),
        pytest.param(["-o", "a", "-o", "b"], "b", id="the last one counts"),
        pytest.param([], "a.out", id="unnamed"),
        pytest.param(["-o"], "", id="nothing behind it"),
    ],
)
def test_the_output(words: list[str], output: str) -> None:
    assert link_arguments([GCC, *words]).output == output


def test_a_folder_holds_the_map_named_after_the_output(tmp_path: Path) -> None:
    assert map_file(str(tmp_path), "out/fw.elf") == str(tmp_path / "fw.elf.map")


def test_response_files_are_read(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner.rsp", tmp_path / "outer.rsp"
    inner.write_text('-Wl,-Map="my maps/fw.map"\n')
    outer.write_text(f"main.o 'a b.o'\n@{inner}\n-o fw.elf\n")
    found = link_arguments([GCC, f"@{outer}"])
    assert (found.output, found.map) == ("fw.elf", "my maps/fw.map")


@pytest.mark.parametrize("content", [None, b"'unclosed -Wl,-Map=x", b"@%(own)s"])
def test_a_response_file_that_cannot_be_read_is_a_plain_word(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "a.rsp"
    if content is not None:
        path.write_bytes(content.replace(b"%(own)s", bytes(path)))
    assert link_arguments([GCC, f"@{path}", "-o", "fw.elf"]).map is None


@pytest.mark.parametrize(
    ("command", "added"),
    [
        pytest.param([GCC, "a.o"], ["-Xlinker", "-Map=a,b.map"], id="a driver"),
        pytest.param(["ccache", "/opt/g++", "a.o"], ["-Xlinker", "-Map=a,b.map"], id="ccache"),
        pytest.param(["arm-none-eabi-ld", "a.o"], ["-Map=a,b.map"], id="the linker"),
        pytest.param(["/usr/bin/ld.bfd", "a.o"], ["-Map=a,b.map"], id="the linker by its path"),
        pytest.param(["x-ld.exe", "-o", "ld"], ["-Map=a,b.map"], id="the linker of Windows"),
        pytest.param(["gcc", "-o", "ld"], ["-Xlinker", "-Map=a,b.map"], id="a file named ld"),
    ],
)
def test_a_command_without_a_map_is_asked_for_one(command: list[str], added: list[str]) -> None:
    assert asking_for_map(command, "a,b.map") == [*command, *added]
