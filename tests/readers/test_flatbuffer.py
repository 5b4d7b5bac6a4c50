import struct

import flatbuffers
import pytest

from mapinspect.errors import InputError
from mapinspect.readers.flatbuffer import FlatBuffer

# A root table with one u16 field of value 7, by hand: root offset 12; the vtable at 4 holds its
# size 6, the table's size 8 and the field's offset 4; two bytes of padding; the table at 12
# starts with the distance back to the vtable.
ONE_FIELD = (
    struct.pack("<I", 12) + struct.pack("<HHH", 6, 8, 4) + b"\0\0" + struct.pack("<iHH", 8, 7, 0)
)


def test_a_field_is_read_through_the_vtable() -> None:
    assert FlatBuffer("m", ONE_FIELD).root().integer(0, "u16") == 7


def test_a_field_that_the_vtable_does_not_list_has_its_default() -> None:
    root = FlatBuffer("m", ONE_FIELD).root()
    assert root.integer(1, "i32", -3) == -3
    assert root.text(1, "a name") is None
    assert root.child(1, "a child") is None
    assert list(root.children(1, "child")) == []


@pytest.mark.parametrize(
    ("position", "value", "words"),
    [
        pytest.param(0, struct.pack("<I", 0), "offset 0", id="no root"),
        pytest.param(0, struct.pack("<I", 17), "past the end", id="a root that sticks out"),
        pytest.param(12, struct.pack("<i", 0), "damaged", id="a vtable that is the table"),
        pytest.param(12, struct.pack("<i", 13), "past the end", id="a vtable before the file"),
        pytest.param(12, struct.pack("<i", -6), "past the end", id="a vtable behind the file"),
        pytest.param(4, struct.pack("<H", 3), "damaged", id="a vtable smaller than its head"),
        pytest.param(4, struct.pack("<H", 7), "damaged", id="a vtable of odd size"),
        pytest.param(4, struct.pack("<H", 600), "past the end", id="a vtable that sticks out"),
        pytest.param(6, struct.pack("<H", 2), "damaged", id="a table smaller than its head"),
        pytest.param(6, struct.pack("<H", 9), "past the end", id="a table that sticks out"),
        pytest.param(8, struct.pack("<H", 7), "outside its table", id="a field that sticks out"),
        pytest.param(8, struct.pack("<H", 2), "outside its table", id="a field in the head"),
    ],
)
def test_damage_is_refused(position: int, value: bytes, words: str) -> None:
    content = ONE_FIELD[:position] + value + ONE_FIELD[position + len(value) :]
    with pytest.raises(InputError, match=words):
        FlatBuffer("m", content).root().integer(0, "u16")


def vector_file(count: int) -> bytes:
    builder = flatbuffers.Builder(64)
    builder.StartVector(4, 3, 4)
    for value in (3, 2, 1):
        builder.PrependInt32(value)
    vector = builder.EndVector()
    builder.StartObject(1)
    builder.PrependUOffsetTRelativeSlot(0, vector, 0)
    builder.Finish(builder.EndObject())
    content = bytes(builder.Output())
    packed = struct.pack("<4i", 3, 1, 2, 3)
    return content.replace(packed, struct.pack("<I", count) + packed[4:])


def test_a_vector_is_read_in_order() -> None:
    assert FlatBuffer("m", vector_file(3)).root().integers(0, "i32", "it") == (1, 2, 3)


@pytest.mark.parametrize("count", [4, 0x40000000, 0xFFFFFFFF])
def test_a_vector_longer_than_the_file_is_refused(count: int) -> None:
    with pytest.raises(InputError, match="it at offset"):
        FlatBuffer("m", vector_file(count)).root().integers(0, "i32", "it")


def test_one_table_shared_by_many_parents_ends_at_the_budget() -> None:
    builder = flatbuffers.Builder(64)
    builder.StartObject(1)
    builder.PrependInt32Slot(0, 5, 0)
    shared = builder.EndObject()
    builder.StartVector(4, 20_000, 4)
    for _ in range(20_000):
        builder.PrependUOffsetTRelative(shared)
    vector = builder.EndVector()
    builder.StartObject(1)
    builder.PrependUOffsetTRelativeSlot(0, vector, 0)
    builder.Finish(builder.EndObject())
    root = FlatBuffer("m", bytes(builder.Output())).root()
    with pytest.raises(InputError, match="number of tables"):
        list(root.children(0, "child"))


def test_one_vector_decoded_again_and_again_ends_at_the_budget() -> None:
    root = FlatBuffer("m", vector_file(3)).root()
    root.buffer.unfold(1 << 20, "the rest")
    while root.buffer._bytes_left >= 12:
        root.integers(0, "i32", "it")
    with pytest.raises(InputError, match="unfolds"):
        root.integers(0, "i32", "it")
