"""Writes .tflite models from short descriptions, with the flatbuffers and tflite packages."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import flatbuffers
import pytest

tflite = pytest.importorskip("tflite", reason="needs the tflite package to write models")


@dataclass
class T:
    """A tensor to write; ``data`` makes it constant (bytes, or a count of zero bytes)."""

    shape: Sequence[int] | None
    type: str = "INT8"
    data: bytes | int | None = None
    scales: Sequence[float] | None = (1.0,)
    zero_points: Sequence[int] | None = (0,)
    variable: bool = False
    name: str = ""
    buffer: int | None = None  # an explicit buffer number, to write wrong ones
    dimension: int = 0


@dataclass
class Op:
    """An operator to write: builtin name or custom name, tensor indices, options by field."""

    code: str
    inputs: Sequence[int]
    outputs: Sequence[int]
    options: dict[str, Any] = field(default_factory=dict)
    table: str | None = None  # "Conv2DOptions"
    intermediates: Sequence[int] = ()
    custom: str | None = None
    version: int = 1


@dataclass
class G:
    """A subgraph to write."""

    tensors: Sequence[T]
    operators: Sequence[Op]
    inputs: Sequence[int] = ()
    outputs: Sequence[int] = ()
    name: str = "main"


def enum(name: str, value: str) -> int:
    return int(getattr(getattr(tflite, name), value))


class Writer:
    def __init__(self) -> None:
        self.builder = flatbuffers.Builder(4096)

    def tables(self, offsets: Sequence[int]) -> int:
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return int(self.builder.EndVector())

    def numbers(self, values: Sequence[Any], kind: str = "Int32", width: int = 4) -> int:
        self.builder.StartVector(width, len(values), width)
        for value in reversed(values):
            getattr(self.builder, f"Prepend{kind}")(value)
        return int(self.builder.EndVector())

    def octets(self, values: bytes) -> int:
        # 16-byte aligned, as the schema asks for buffer data.
        self.builder.StartVector(1, len(values), 16)
        self.builder.head = self.builder.Head() - len(values)
        self.builder.Bytes[self.builder.Head() : self.builder.Head() + len(values)] = values
        return int(self.builder.EndVector())

    def table(self, name: str, **fields: Any) -> int:
        """Write one table; fields are named as the accessors: Shape=…, IsVariable=…."""
        getattr(tflite, f"{name}Start")(self.builder)
        for key, value in fields.items():
            if value is not None:
                getattr(tflite, f"{name}Add{key}")(self.builder, value)
        return int(getattr(tflite, f"{name}End")(self.builder))

    def options(self, name: str, values: dict[str, Any]) -> int:
        prepared: dict[str, Any] = {}
        for key, value in values.items():
            ready = value
            if isinstance(value, str):
                ready = self.builder.CreateString(value)
            elif isinstance(value, (list, tuple)):
                ready = self.numbers(value)
            prepared["".join(part.capitalize() for part in key.split("_"))] = ready
        return self.table(name, **prepared)


def _tensor(writer: Writer, tensor: T, buffers: list[bytes]) -> int:
    number = 0
    if tensor.data is not None:
        buffers.append(bytes(tensor.data) if isinstance(tensor.data, int) else tensor.data)
        number = len(buffers) - 1
    if tensor.buffer is not None:
        number = tensor.buffer
    quantization = None
    if tensor.scales is not None or tensor.zero_points is not None:
        scales = None if tensor.scales is None else writer.numbers(tensor.scales, "Float32")
        points = tensor.zero_points
        zeros = None if points is None else writer.numbers(points, "Int64", 8)
        quantization = writer.table(
            "QuantizationParameters",
            Scale=scales,
            ZeroPoint=zeros,
            QuantizedDimension=tensor.dimension,
        )
    name = writer.builder.CreateString(tensor.name)
    shape = None if tensor.shape is None else writer.numbers(tensor.shape)
    return writer.table(
        "Tensor",
        Name=name,
        Shape=shape,
        Type=enum("TensorType", tensor.type),
        Buffer=number,
        IsVariable=tensor.variable,
        Quantization=quantization,
    )


def _operator(writer: Writer, op: Op, codes: list[tuple[str, str | None, int]]) -> int:
    key = (op.code, op.custom, op.version)
    if key not in codes:
        codes.append(key)
    options = writer.options(op.table, op.options) if op.table else None
    inputs, outputs = writer.numbers(op.inputs), writer.numbers(op.outputs)
    intermediates = writer.numbers(op.intermediates) if op.intermediates else None
    return writer.table(
        "Operator",
        OpcodeIndex=codes.index(key),
        Inputs=inputs,
        Outputs=outputs,
        Intermediates=intermediates,
        BuiltinOptionsType=enum("BuiltinOptions", op.table) if op.table else None,
        BuiltinOptions=options,
    )


def _code(writer: Writer, code: tuple[str, str | None, int]) -> int:
    name, custom, version = code
    number = enum("BuiltinOperator", name)
    text = None if custom is None else writer.builder.CreateString(custom)
    return writer.table(
        "OperatorCode",
        DeprecatedBuiltinCode=min(number, 127),
        BuiltinCode=number,
        CustomCode=text,
        Version=version,
    )


def write_model(
    *graphs: G, metadata: dict[str, bytes] | None = None, version: int = 3, description: str = ""
) -> bytes:
    """Return the bytes of a model with these subgraphs; buffer 0 is empty, as it must be."""
    writer = Writer()
    buffers: list[bytes] = [b""]
    codes: list[tuple[str, str | None, int]] = []
    written = []
    for graph in graphs:
        tensors = writer.tables([_tensor(writer, tensor, buffers) for tensor in graph.tensors])
        operators = writer.tables([_operator(writer, op, codes) for op in graph.operators])
        inputs, outputs = writer.numbers(graph.inputs), writer.numbers(graph.outputs)
        name = writer.builder.CreateString(graph.name)
        written.append(
            writer.table(
                "SubGraph",
                Tensors=tensors,
                Operators=operators,
                Inputs=inputs,
                Outputs=outputs,
                Name=name,
            )
        )
    entries = []
    for key, value in (metadata or {}).items():
        buffers.append(value)
        text = writer.builder.CreateString(key)
        entries.append(writer.table("Metadata", Name=text, Buffer=len(buffers) - 1))
    fields = {"Version": version, "Description": writer.builder.CreateString(description)}
    return _finish(writer, written, codes, buffers, entries=entries, **fields)


def _finish(
    writer: Writer,
    graphs: list[int],
    codes: list[tuple[str, str | None, int]],
    buffers: list[bytes],
    *,
    entries: list[int],
    **fields: Any,
) -> bytes:
    stored = []
    for content in buffers:
        octets = writer.octets(content) if content else None
        stored.append(writer.table("Buffer", Data=octets))
    vectors = {
        "OperatorCodes": writer.tables([_code(writer, code) for code in codes]),
        "Subgraphs": writer.tables(graphs),
        "Buffers": writer.tables(stored),
        "Metadata": writer.tables(entries) if entries else None,
    }
    root = writer.table("Model", **fields, **vectors)
    writer.builder.Finish(root, b"TFL3")
    return bytes(writer.builder.Output())
