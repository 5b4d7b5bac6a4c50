"""What a .tflite model says, as records. Sizes are bytes, indices are positions in the file."""

from dataclasses import dataclass

# The options that name subgraphs, of the operators that run them.
_CALLS = {
    "IF": ("then_subgraph_index", "else_subgraph_index"),
    "WHILE": ("cond_subgraph_index", "body_subgraph_index"),
    "CALL_ONCE": ("init_subgraph_index",),
}
OptionValue = int | float | bool | str | tuple[int, ...] | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Quantization:
    """A tensor's quantisation, as counts and values: ``scales`` and ``zero_points`` as stored."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    dimension: int


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of one subgraph.

    ``shape`` is empty for a scalar; ``bytes`` is elements x type size as a runtime needs it in
    RAM (int4: one byte per element), None for types without a fixed size. ``buffer`` is the index
    of its buffer; ``constant`` is True when that buffer has data, which then lies at
    ``data_offset`` of the file, ``data_size`` bytes long (packed, for int4).

    A dimension of -1 is kept in ``shape`` where a RESHAPE leaves its output open; ``bytes``
    counts it as resolved. ``external`` is True when the data lies behind the flatbuffer (the
    layout for more than 2 GiB) or, with ``data_size`` 0, in another file; ``sparse`` when only
    part of the elements is stored.
    """

    index: int
    name: str
    shape: tuple[int, ...]
    type: str  # "INT8", "FLOAT32", … as the schema spells it
    bytes: int | None
    buffer: int
    constant: bool
    is_variable: bool
    data_offset: int
    data_size: int
    quantization: Quantization | None
    external: bool = False
    sparse: bool = False


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: inputs and outputs are tensor indices, -1 for an absent optional input.

    ``options`` holds the builtin options by the schema's field names, defaults filled in and
    enumerations by name; ``options_type`` is the schema's name of that table, "NONE" when the
    file has none. Of a custom operator ``options`` are the plain values of its flexbuffer map,
    where its options are one.
    """

    index: int
    code: str  # "CONV_2D", …; "CUSTOM" with ``custom`` set
    custom: str | None
    version: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    intermediates: tuple[int, ...]
    options: dict[str, OptionValue]
    options_type: str = "NONE"

    def called(self) -> tuple[int, ...]:
        """Return the subgraphs this operator runs, in the order in which it runs them."""
        values = (self.options.get(name, 0) for name in _CALLS.get(self.code, ()))
        return tuple(value for value in values if isinstance(value, int))


@dataclass(frozen=True, slots=True)
class Subgraph:
    """One graph of the model, operators in execution order."""

    index: int
    name: str
    tensors: tuple[Tensor, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    operators: tuple[Operator, ...]


@dataclass(frozen=True, slots=True)
class Signature:
    """A named entry point: the subgraph it runs, and the tensors behind its argument names."""

    key: str
    subgraph: int
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Network:
    """A .tflite file, verified: every offset and index lies within it.

    ``offline_plan`` is the OfflineMemoryAllocation metadata, one offset per tensor over all
    subgraphs in order (-1 = plan it), or None; ``offline_fault`` says why that metadata cannot
    be used, or is None. ``oddities`` are what is legal but unusual, one sentence each.
    ``sketched`` is True for a network that was read off a table of layers, before any file.
    """

    path: str
    size: int
    version: int
    description: str
    subgraphs: tuple[Subgraph, ...]
    metadata: tuple[str, ...]
    offline_plan: tuple[int, ...] | None
    buffer_sizes: tuple[int, ...]
    signatures: tuple[Signature, ...] = ()
    offline_fault: str | None = None
    oddities: tuple[str, ...] = ()
    sketched: bool = False
