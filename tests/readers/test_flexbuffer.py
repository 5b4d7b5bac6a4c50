from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapinspect.readers.flexbuffer import read_map

flexbuffers = pytest.importorskip("flatbuffers.flexbuffers")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"shift": 12},
        {"T": 7, "fft_length": 512},
        {"alternate_smoothing": 15401, "clamping": False, "min": -3, "name": "abc"},
        {"big": 2**40, "scale": 0.5, "on": True},
    ],
)
def test_a_map_reads_as_the_flatbuffers_package_wrote_it(options: dict[str, Any]) -> None:
    found = read_map(bytes(flexbuffers.Dumps(options)))
    assert found == options


def test_vectors_of_numbers_are_read_and_mixed_ones_left_out() -> None:
    builder = flexbuffers.Builder()
    with builder.Map():
        builder.Key("mixed")
        with builder.Vector():
            builder.Int(1)
            builder.String("a")
        builder.Key("numbers")
        with builder.TypedVector():
            for number in (1, 2, 300, -4):
                builder.Int(number)
    assert read_map(bytes(builder.Finish())) == {"numbers": (1, 2, 300, -4)}


@pytest.mark.parametrize("content", [b"", b"\x01\x04\x01", bytes(40), flexbuffers.Dumps([1, 2])])
def test_what_is_no_map_is_none(content: bytes) -> None:
    assert read_map(bytes(content)) is None


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything(content: bytes) -> None:
    read_map(content)


WRITTEN = bytes(flexbuffers.Dumps({"T": 7, "fft_length": 512, "many": [1, 2, 300]}))


@given(st.integers(0, len(WRITTEN) - 1), st.integers(0, 255))
def test_no_changed_map_raises_anything(position: int, value: int) -> None:
    read_map(WRITTEN[:position] + bytes([value]) + WRITTEN[position + 1 :])
