"""A .tflite model -> Network, by the TensorFlow Lite schema, version 3 (to 3c).

Everything in the file is checked before it is used: identifier, version, offsets, counts,
indices, shapes, types and the calls between subgraphs. The reader judges nothing else: whether a
runtime would accept the model is for the analysis.
"""

import math
import struct
from dataclasses import replace

from mapinspect.errors import InputError
from mapinspect.model.network import Network, Operator, Signature, Subgraph, Tensor
from mapinspect.readers.flatbuffer import FlatBuffer, Table
from mapinspect.readers.tflite_calls import check_calls
from mapinspect.readers.tflite_operators import (
    OperatorCode,
    read_codes,
    read_indices,
    read_operator,
)
from mapinspect.readers.tflite_refusal import refuse_other_formats
from mapinspect.readers.tflite_tensors import (
    UNKNOWN,
    Buffer,
    read_buffers,
    read_tensor,
    refuse_overlap,
    stored_bytes,
)

VERSION = 3  # of the schema
OFFLINE_PLAN = "OfflineMemoryAllocation"  # TFLM docs/memory_management.md
# Planning compares every activation with every other; runtimes for microcontrollers plan
# hundreds.
ACTIVATION_LIMIT = 4096
OPERATOR_LIMIT = 8192
ONLINE = -1  # in the offline plan: the runtime's planner chooses
COMPRESSION = "COMPRESSION_METADATA"  # TFLM compression/metadata: shapes are of decoded tensors


def read_network(path: str, content: bytes) -> Network:
    """Return the model in ``content``; ``path`` names it in messages.

    Raises InputError for anything that is not a complete, consistent .tflite model.
    """
    refuse_other_formats(path, content)
    return _read(FlatBuffer(path, content))


def read_embedded(path: str, content: bytes) -> Network:
    """Return the model that begins ``content``, whatever follows it.

    Its ``size`` reaches to the last byte that is read; a file may have up to 15 bytes more.
    Raises InputError as ``read_network`` does.
    """
    refuse_other_formats(path, content)
    buffer = FlatBuffer(path, content)
    network = _read(buffer)
    tensors = (tensor for graph in network.subgraphs for tensor in graph.tensors)
    ends = (tensor.data_offset + tensor.data_size for tensor in tensors)
    return replace(network, size=max(buffer.extent, *ends))


def _read(buffer: FlatBuffer) -> Network:
    path, content = buffer.path, buffer.content
    model = buffer.root()
    version = model.integer(0, "u32")
    if version != VERSION:
        raise InputError(
            path, None, f"has schema version {version} instead of {VERSION}", "convert it again"
        )
    buffers = read_buffers(buffer, model)
    if not buffers:
        raise buffer.fault("has no buffers")
    metadata = _read_metadata(buffer, model, len(buffers))
    subgraphs = _read_subgraphs(buffer, model, buffers)
    check_calls(buffer, subgraphs)
    _refuse_too_many(path, subgraphs)
    signatures = _read_signatures(buffer, model, subgraphs)
    description = model.text(3, "the description") or ""
    refuse_overlap(buffer, buffers)
    plan, fault = _offline_plan(content, metadata, buffers, subgraphs)
    return Network(
        path=path,
        size=len(content),
        version=version,
        description=description,
        subgraphs=subgraphs,
        metadata=tuple(name for name, _ in metadata),
        offline_plan=plan,
        buffer_sizes=tuple(entry.size for entry in buffers),
        signatures=signatures,
        offline_fault=fault,
        oddities=_check_stored_sizes(buffer, subgraphs, metadata),
    )


def _refuse_too_many(path: str, subgraphs: tuple[Subgraph, ...]) -> None:
    activations = sum(not tensor.constant for graph in subgraphs for tensor in graph.tensors)
    operators = sum(len(graph.operators) for graph in subgraphs)
    counts = (
        ("activations", activations, ACTIVATION_LIMIT),
        ("operators", operators, OPERATOR_LIMIT),
    )
    for name, count, limit in counts:
        if count > limit:
            what = f"has {count} {name}, more than the {limit} that can be planned"
            raise InputError(path, None, what, "split the model")


def _read_subgraphs(
    buffer: FlatBuffer, model: Table, buffers: tuple[Buffer, ...]
) -> tuple[Subgraph, ...]:
    codes = read_codes(buffer, model)
    subgraphs = tuple(
        _read_subgraph(buffer, table, index, buffers, codes)
        for index, table in enumerate(model.children(2, "subgraph"))
    )
    if not subgraphs:
        raise buffer.fault("has no subgraph")
    return subgraphs


def _read_subgraph(
    buffer: FlatBuffer,
    table: Table,
    index: int,
    buffers: tuple[Buffer, ...],
    codes: tuple[OperatorCode, ...],
) -> Subgraph:
    place = f"subgraph {index}"
    tensors = [
        read_tensor(buffer, child, number, place, buffers)
        for number, child in enumerate(table.children(0, f"{place} tensor"))
    ]
    count = len(tensors)
    operators = tuple(
        read_operator(child, number, place, codes, count)
        for number, child in enumerate(table.children(3, f"{place} operator"))
    )
    _resolve_reshapes(tensors, operators)
    _refuse_open_shapes(buffer, place, tensors)
    return Subgraph(
        index=index,
        name=table.text(4, f"the name of {place}") or "",
        tensors=tuple(tensors),
        inputs=read_indices(table, 1, f"the inputs of {place}", count),
        outputs=read_indices(table, 2, f"the outputs of {place}", count),
        operators=operators,
    )


def _resolve_reshapes(tensors: list[Tensor], operators: tuple[Operator, ...]) -> None:
    """Give outputs of RESHAPE with one open dimension (-1) the bytes of their input."""
    for operator in operators:
        if operator.code != "RESHAPE" or not operator.inputs or not operator.outputs:
            continue
        source, target = tensors[operator.inputs[0]], tensors[operator.outputs[0]]
        if target.bytes is not None or target.shape.count(UNKNOWN) != 1 or not source.bytes:
            continue
        known = math.prod(size for size in target.shape if size != UNKNOWN)
        elements = math.prod(source.shape) if UNKNOWN not in source.shape else None
        if source.type == target.type and known and elements and elements % known == 0:
            tensors[target.index] = replace(target, bytes=source.bytes)


def _refuse_open_shapes(buffer: FlatBuffer, place: str, tensors: list[Tensor]) -> None:
    for tensor in tensors:
        if UNKNOWN in tensor.shape and tensor.bytes is None:
            raise InputError(
                buffer.path,
                None,
                f"{place} tensor {tensor.index} has a dimension of unknown size (-1)",
                "convert the model with fixed input shapes",
            )


def _read_metadata(buffer: FlatBuffer, model: Table, count: int) -> tuple[tuple[str, int], ...]:
    found: list[tuple[str, int]] = []
    for table in model.children(6, "metadata entry"):
        number = table.integer(1, "u32")
        if number >= count:
            raise buffer.fault(f"{table.what} names buffer {number} of {count}")
        found.append((table.text(0, f"the name of {table.what}") or "", number))
    return tuple(found)


def _read_signatures(
    buffer: FlatBuffer, model: Table, subgraphs: tuple[Subgraph, ...]
) -> tuple[Signature, ...]:
    found: list[Signature] = []
    for table in model.children(7, "signature"):
        number = table.integer(4, "u32")
        if number >= len(subgraphs):
            raise buffer.fault(f"{table.what} names subgraph {number} of {len(subgraphs)}")
        tensors = len(subgraphs[number].tensors)
        found.append(
            Signature(
                key=table.text(2, f"the key of {table.what}") or "",
                subgraph=number,
                inputs=_read_arguments(table, 0, "input", tensors),
                outputs=_read_arguments(table, 1, "output", tensors),
            )
        )
    return tuple(found)


def _read_arguments(
    signature: Table, slot: int, what: str, tensors: int
) -> tuple[tuple[str, int], ...]:
    found: list[tuple[str, int]] = []
    for table in signature.children(slot, f"{signature.what} {what}"):
        number = table.integer(1, "u32")
        if number >= tensors:
            raise table.buffer.fault(f"{table.what} names tensor {number} of {tensors}")
        found.append((table.text(0, f"the name of {table.what}") or "", number))
    return tuple(found)


def _offline_plan(
    content: bytes,
    metadata: tuple[tuple[str, int], ...],
    buffers: tuple[Buffer, ...],
    subgraphs: tuple[Subgraph, ...],
) -> tuple[tuple[int, ...] | None, str | None]:
    """Return the offline plan or None, and why a plan that is there cannot be used.

    Layout: little-endian int32 format version, subgraphs, n, then n offsets (TFLM
    docs/memory_management.md).
    """
    numbers = [number for name, number in metadata if name == OFFLINE_PLAN]
    if not numbers:
        return None, None
    stored = buffers[numbers[0]]
    tensors = sum(len(subgraph.tensors) for subgraph in subgraphs)
    if stored.size < 12:
        return None, f"the offline plan has {stored.size} bytes, too few for its header"
    (count,) = struct.unpack_from("<i", content, stored.offset + 8)
    if count != tensors:
        return None, f"the offline plan has {count} offsets for {tensors} tensors"
    if stored.size < 12 + 4 * count:
        return None, f"the offline plan has {stored.size} bytes, too few for {count} offsets"
    offsets = struct.unpack_from(f"<{count}i", content, stored.offset + 12)
    if min(offsets, default=0) < ONLINE:
        return None, f"the offline plan has the offset {min(offsets)}"
    return offsets, None


def _check_stored_sizes(
    buffer: FlatBuffer, subgraphs: tuple[Subgraph, ...], metadata: tuple[tuple[str, int], ...]
) -> tuple[str, ...]:
    """Raise InputError for a constant shorter than its shape needs; return the longer ones."""
    if any(name == COMPRESSION for name, _ in metadata):
        return ("the model is compressed",)
    oddities: list[str] = []
    for subgraph in subgraphs:
        for tensor in subgraph.tensors:
            needed = stored_bytes(tensor) if tensor.data_size else None
            if needed is None or needed == tensor.data_size:
                continue
            what = (
                f"subgraph {subgraph.index} tensor {tensor.index} needs {needed} bytes, "
                f"its buffer {tensor.buffer} has {tensor.data_size}"
            )
            if needed > tensor.data_size:
                raise buffer.fault(what)
            oddities.append(what)
    return tuple(oddities)
