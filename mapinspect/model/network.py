"""What a .tflite model says, as records. Sizes are bytes, indices are positions in the file."""

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: inputs and outputs are tensor indices, -1 for an absent optional input.

    ``options`` holds the builtin options by the schema's field names, defaults filled in.
    """

    index: int
    code: str  # "CONV_2D", …; "CUSTOM" with ``custom`` set
    custom: str | None
    version: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    intermediates: tuple[int, ...]
    options: dict[str, int | float | bool | str | tuple[int, ...]]


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
class Network:
    """A .tflite file, verified: every offset and index lies within it.

    ``offline_plan`` is the OfflineMemoryAllocation metadata, one offset per tensor over all
    subgraphs in order (-1 = plan it), or None.
    """

    path: str
    size: int
    version: int
    description: str
    subgraphs: tuple[Subgraph, ...]
    metadata: tuple[str, ...]
    offline_plan: tuple[int, ...] | None
    buffer_sizes: tuple[int, ...]
