"""Buffers and tensors of a .tflite model: where their bytes lie, and how many they need."""

import math
from dataclasses import dataclass

from mapinspect.model.network import Quantization, Tensor
from mapinspect.readers.flatbuffer import FlatBuffer, Table
from mapinspect.readers.tflite_schema import TensorType, schema

ELEMENT_LIMIT = 2**31 - 1  # shapes and counts are 32-bit signed in the schema and its runtimes
UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Buffer:
    """The bytes of one buffer of the file: ``offset`` from its start, ``size`` in bytes."""

    offset: int
    size: int
    external: bool


def read_buffers(buffer: FlatBuffer, model: Table) -> tuple[Buffer, ...]:
    """Return the buffers of the model in file order; raise InputError for bytes not in it."""
    return tuple(_read_buffer(buffer, table) for table in model.children(4, "buffer"))


def _read_buffer(buffer: FlatBuffer, table: Table) -> Buffer:
    offset, size = table.integer(1, "u64"), table.integer(2, "u64")
    if offset > 1:  # the schema: "the offset … is only valid if > 1"
        if offset + size > len(buffer.content):
            raise buffer.fault(
                f"{table.what} has {size} bytes at offset {offset}, past the end of the file"
            )
        return Buffer(offset, size, external=True)
    span = table.span(0, 1, f"the data of {table.what}")
    return Buffer(*span, external=False) if span else Buffer(0, 0, external=False)


def refuse_overlap(buffer: FlatBuffer, buffers: tuple[Buffer, ...]) -> None:
    """Raise InputError when external bytes lie inside the flatbuffer, all of it read before."""
    for index, entry in enumerate(buffers):
        if entry.external and entry.size and entry.offset < buffer.extent:
            raise buffer.fault(
                f"buffer {index} lies at offset {entry.offset}, inside the flatbuffer itself"
            )


def read_tensor(
    buffer: FlatBuffer, table: Table, index: int, place: str, buffers: tuple[Buffer, ...]
) -> Tensor:
    """Return tensor ``index`` of the subgraph named ``place``; raise InputError where damaged."""
    what = f"{place} tensor {index}"
    number = table.integer(2, "u32")
    if number >= len(buffers):
        raise buffer.fault(f"{what} names buffer {number} of {len(buffers)}")
    kind = _type(buffer, table.integer(1, "i8"), what)
    shape = table.integers(0, "i32", f"the shape of {what}") or ()
    stored = buffers[number]
    elsewhere = table.integer(10, "u32") != 0
    tensor = Tensor(
        index=index,
        name=table.text(3, f"the name of {what}") or "",
        shape=shape,
        type=kind.name,
        bytes=_ram_bytes(buffer, shape, kind, what),
        buffer=number,
        constant=stored.size > 0 or elsewhere,
        is_variable=table.boolean(5),
        data_offset=stored.offset,
        data_size=stored.size,
        quantization=_quantization(table.child(4, f"the quantisation of {what}"), what),
        external=stored.external or elsewhere,
        sparse=table.child(6, f"the sparsity of {what}") is not None,
    )
    if UNKNOWN in shape and tensor.constant:
        raise buffer.fault(f"{what} is constant but has a dimension of unknown size")
    return tensor


def _type(buffer: FlatBuffer, code: int, what: str) -> TensorType:
    types = schema().types
    if not 0 <= code < len(types):
        raise buffer.fault(f"{what} has the unknown type {code}")
    return types[code]


def _ram_bytes(
    buffer: FlatBuffer, shape: tuple[int, ...], kind: TensorType, what: str
) -> int | None:
    for position, size in enumerate(shape):
        if size < UNKNOWN:
            raise buffer.fault(f"{what} has the size {size} in dimension {position}")
    if UNKNOWN in shape:
        return None
    elements = _elements(shape)
    width = kind.ram_bytes
    if elements > ELEMENT_LIMIT or elements * (width or 1) > ELEMENT_LIMIT:
        raise buffer.fault(f"{what} has more elements than {ELEMENT_LIMIT} bytes can hold")
    return None if width is None else elements * width


def _elements(shape: tuple[int, ...]) -> int:
    """Return the elements of ``shape``, or some number above the limit."""
    elements = 0 if 0 in shape else 1
    for size in shape:
        elements *= size
        if elements > ELEMENT_LIMIT:
            break  # the rest could only multiply digits
    return elements


def stored_bytes(tensor: Tensor) -> int | None:
    """Return the bytes a dense constant of this shape and type takes in the file, or None."""
    bits = next(kind.stored_bits for kind in schema().types if kind.name == tensor.type)
    if bits is None or tensor.sparse or UNKNOWN in tensor.shape:
        return None
    return -(-math.prod(tensor.shape) * bits // 8)


def _quantization(table: Table | None, what: str) -> Quantization | None:
    if table is None:
        return None
    return Quantization(
        scales=table.reals(2, "f32", f"the scales of {what}") or (),
        zero_points=table.integers(3, "i64", f"the zero points of {what}") or (),
        dimension=table.integer(6, "i32"),
    )
