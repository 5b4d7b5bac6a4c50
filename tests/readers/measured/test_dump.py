"""Painted stacks in dumps of RAM: high water is an address, never a count."""

import pytest

from mapinspect.errors import InputError
from mapinspect.model.image import Span
from mapinspect.model.measurement import Measurement, Run
from mapinspect.readers.measured.dump import PaintedStack, high_water
from mapinspect.readers.source import SourceFile

START, SIZE = 0x2000_1000, 256
RUN = Run(build_id="ab", iterations=1000)


def painted(fill: bytes, *written: int) -> bytes:
    """Return a stack full of ``fill`` with one byte overwritten at each offset from the bottom."""
    content = bytearray(fill * (SIZE // len(fill)))
    for offset in written:
        content[offset] ^= 0xFF
    return bytes(content)


def measure(content: bytes, name: str = "stack.bin", **more: object) -> Measurement:
    stack = PaintedStack("main", Span(START, SIZE), **more)  # type: ignore[arg-type]
    return high_water(SourceFile(name, content), stack, RUN)


@pytest.mark.parametrize(
    "fill",
    [
        pytest.param(b"\xa5", id="FreeRTOS"),
        pytest.param(b"\xaa", id="Zephyr"),
        pytest.param(b"\xcd\xab", id="two bytes"),
        pytest.param(b"\xef\xbe\xad\xde", id="a word"),
    ],
)
@pytest.mark.parametrize("given_fill", [True, False], ids=["stated", "found"])
def test_high_water_is_the_top_less_the_lowest_overwritten_byte(
    fill: bytes, given_fill: bool
) -> None:
    # Bytes 100, 180 and 255 were written; those between them were jumped over, and still count.
    item = measure(painted(fill, 100, 180, 255), fill=fill if given_fill else None)
    assert item.bytes == SIZE - 100
    assert (item.id, item.kind, item.size, item.run) == ("stack.main.peak", "stack", SIZE, RUN)
    assert f"0x{fill.hex()} at {START + 100:#x}" in item.evidence.text
    assert item.doubts() == ()


def test_a_stack_that_was_never_used_has_used_nothing() -> None:
    assert measure(painted(b"\xa5")).bytes == 0


def test_a_stack_used_to_its_last_byte_may_have_overflowed() -> None:
    item = measure(painted(b"\xa5", 0, 255), fill=b"\xa5")
    assert item.bytes == SIZE
    assert item.doubts() == ("it reached its end: it may have needed more",)


def test_zeros_are_a_weak_paint() -> None:
    assert measure(painted(b"\0", 200)).doubts() == ("zeros may be the program's own",)


def test_a_pattern_lies_at_its_multiples() -> None:
    stack = PaintedStack("odd", Span(0x2000_1002, 62), fill=b"\xef\xbe\xad\xde", base=0x2000_1000)
    content = bytearray(b"\xef\xbe\xad\xde" * 16)
    content[40] = 0
    assert high_water(SourceFile("ram.bin", bytes(content)), stack, RUN).bytes == 64 - 40


def test_a_stack_is_cut_from_a_larger_dump() -> None:
    ram = bytes(0x1000) + painted(b"\xa5", 16, 40) + bytes(64)
    assert measure(ram, base=0x2000_0000).bytes == SIZE - 16


def test_hexadecimal_dumps_carry_their_addresses() -> None:
    bincopy = pytest.importorskip("bincopy", reason="needs mapinspect[dumps]")
    file = bincopy.BinFile()
    file.add_binary(painted(b"\xa5", 33), START)
    file.add_binary(b"abc", 0x0800_0000)
    assert measure(file.as_ihex().encode(), "ram.hex").bytes == SIZE - 33
    assert measure(file.as_srec().encode(), "ram.S19").bytes == SIZE - 33
    with pytest.raises(InputError, match="lacks bytes of 0x20001000 to 0x20001100"):
        measure(bincopy.BinFile().as_ihex().encode(), "ram.hex")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("a.hex", b":00000001FE", id="wrong checksum"),
        pytest.param("a.hex", b":0000", id="cut record"),
        pytest.param("a.hex", b"\xff\xfe", id="no text"),
        pytest.param("a.srec", b"hello", id="no records"),
        pytest.param("a.hex", b":0200000212", id="cut address record"),
    ],
)
def test_a_damaged_hexadecimal_dump_is_refused(name: str, content: bytes) -> None:
    pytest.importorskip("bincopy", reason="needs mapinspect[dumps]")
    with pytest.raises(InputError, match="is no hexadecimal dump"):
        measure(content, name)


@pytest.mark.parametrize(
    ("content", "base", "what"),
    [
        pytest.param(bytes(10), None, "has 10 bytes, main has 256", id="another size, no address"),
        pytest.param(bytes(SIZE), START + 1, "lacks bytes", id="begins too late"),
        pytest.param(bytes(SIZE - 1), START, "lacks bytes", id="ends too early"),
        pytest.param(bytes(SIZE), 0x8000_0000, "lacks bytes", id="another memory"),
        pytest.param(bytes(range(256)), None, "shows no fill", id="overflowed or not painted"),
    ],
)
def test_a_dump_that_cannot_tell_is_refused(content: bytes, base: int | None, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        measure(content, base=base)
    assert caught.value.remedy
