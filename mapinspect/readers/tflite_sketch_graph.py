"""The layers of a table as the graph that a converter would write for them."""

import math
from dataclasses import dataclass

from mapinspect.errors import InputError
from mapinspect.model.network import (
    Network,
    Operator,
    OptionValue,
    Quantization,
    Subgraph,
    Tensor,
)

INPUT = "INPUT"
ELEMENT_LIMIT = 2**31 - 1
_WIDTH = {"INT8": 1, "INT16": 2, "INT32": 4, "INT64": 8, "FLOAT32": 4}
_BIAS = {"INT8": "INT32", "INT16": "INT64", "FLOAT32": "FLOAT32"}
_POOLS = ("AVERAGE_POOL_2D", "MAX_POOL_2D")
_RANK = 4


@dataclass(frozen=True, slots=True)
class SketchLayer:
    """One row of the table; pairs are (height, width)."""

    line: int | None
    name: str
    operator: str
    type: str
    shape: tuple[int, ...]
    inputs: tuple[str, ...]
    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: str


def build(path: str, size: int, layers: list[SketchLayer]) -> Network:
    """Return the network; raises InputError for shapes that do not follow from each other."""
    graph = _Graph(path)
    for layer in layers:
        graph.add(layer)
    return Network(
        path=path,
        size=size,
        version=3,
        description="a table of layers",
        subgraphs=(graph.subgraph(),),
        metadata=(),
        offline_plan=None,
        buffer_sizes=tuple(graph.buffers),
        sketched=True,
    )


class _Graph:
    """Tensors and operators so far; ``outputs`` maps a layer's name to its tensor."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.tensors: list[Tensor] = []
        self.operators: list[Operator] = []
        self.buffers = [0]
        self.inputs: list[int] = []
        self.outputs: dict[str, int] = {}
        self.last: int | None = None
        self.read: set[int] = set()

    def subgraph(self) -> Subgraph:
        """Return the graph; what no layer reads is its output."""
        made = [operator.outputs[0] for operator in self.operators]
        return Subgraph(
            index=0,
            name="main",
            tensors=tuple(self.tensors),
            inputs=tuple(self.inputs),
            outputs=tuple(index for index in made if index not in self.read),
            operators=tuple(self.operators),
        )

    def add(self, layer: SketchLayer) -> None:
        """Append a layer."""
        if math.prod(layer.shape) * _WIDTH[layer.type] > ELEMENT_LIMIT:
            raise self._fault(layer, "has more elements than any device can hold", "shorten it")
        if layer.operator == INPUT:
            output = self._tensor(layer, layer.shape, layer.type, 1)
            self.inputs.append(output)
        else:
            output = self._operator(layer)
        if layer.name in self.outputs:
            raise self._fault(layer, f"has the name of another, {layer.name!r}", "rename it")
        if layer.name:
            self.outputs[layer.name] = output
        self.last = output

    def _fault(self, layer: SketchLayer, what: str, remedy: str) -> InputError:
        return InputError(self.path, layer.line, f"layer {layer.operator} {what}", remedy)

    def _sources(self, layer: SketchLayer) -> list[int]:
        if not layer.inputs:
            if self.last is None:
                raise self._fault(layer, "has nothing before it", "start with operator INPUT")
            return [self.last]
        unknown = [name for name in layer.inputs if name not in self.outputs]
        if unknown:
            raise self._fault(layer, f"reads the unknown layer {unknown[0]!r}", "name it before")
        return [self.outputs[name] for name in layer.inputs]

    def _operator(self, layer: SketchLayer) -> int:
        sources = self._sources(layer)
        self.read.update(sources)
        constants = self._constants(layer, self.tensors[sources[0]])
        output = self._tensor(layer, layer.shape, layer.type, 1)
        self.operators.append(
            Operator(
                index=len(self.operators),
                code=layer.operator,
                custom=None,
                version=1,
                inputs=(*sources, *constants),
                outputs=(output,),
                intermediates=(),
                options=_options(layer),
            )
        )
        return output

    def _constants(self, layer: SketchLayer, source: Tensor) -> list[int]:
        """Append weights and bias of ``layer``, and return their tensors."""
        channels, outputs = source.shape[-1], layer.shape[-1]
        if layer.operator in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            self._check_windows(layer, source)
            depthwise = layer.operator == "DEPTHWISE_CONV_2D"
            if depthwise and outputs % channels:
                what = f"makes {outputs} channels of {channels}"
                raise self._fault(layer, what, "a depthwise layer makes a multiple of its input's")
            shape = (1, *layer.kernel, outputs) if depthwise else (outputs, *layer.kernel, channels)
            return self._weights(layer, shape, outputs, outputs)
        if layer.operator == "FULLY_CONNECTED":
            depth = math.prod(source.shape) // max(math.prod(layer.shape[:-1]), 1)
            return self._weights(layer, (outputs, depth), outputs, 1)
        if layer.operator in _POOLS:
            self._check_windows(layer, source)
        if layer.operator == "TRANSPOSE_CONV" or "SEQUENCE" in layer.operator:
            what = "has weights that a table of layers cannot describe"
            raise self._fault(layer, what, "convert the model")
        return []

    def _weights(
        self, layer: SketchLayer, shape: tuple[int, ...], outputs: int, scales: int
    ) -> list[int]:
        kind = "FLOAT32" if layer.type == "FLOAT32" else "INT8"
        if math.prod(shape) * _WIDTH[kind] > ELEMENT_LIMIT:
            raise self._fault(layer, "has more weights than any device can hold", "shorten it")
        return [
            self._tensor(layer, shape, kind, scales, constant=True),
            self._tensor(layer, (outputs,), _BIAS[layer.type], scales, constant=True),
        ]

    def _check_windows(self, layer: SketchLayer, source: Tensor) -> None:
        """Raise InputError unless the output's height and width follow from the input's."""
        if len(source.shape) != _RANK or len(layer.shape) != _RANK:
            raise self._fault(layer, "needs shapes of four dimensions", "write 1x32x32x16")
        for axis in range(2):
            size, reach = source.shape[1 + axis], layer.dilation[axis] * (layer.kernel[axis] - 1)
            span = size if layer.padding == "SAME" else size - reach
            expected = max(-(-span // layer.stride[axis]), 0)
            if layer.shape[1 + axis] != expected:
                what = f"makes {layer.shape[1 + axis]} of {size} in dimension {1 + axis}"
                remedy = f"with this kernel, stride and padding it is {expected}"
                raise self._fault(layer, what, remedy)

    def _tensor(
        self,
        layer: SketchLayer,
        shape: tuple[int, ...],
        kind: str,
        scales: int,
        *,
        constant: bool = False,
    ) -> int:
        size = math.prod(shape) * _WIDTH[kind]
        if constant:
            self.buffers.append(size)
        quantised = layer.type != "FLOAT32"
        quantization = Quantization((1.0,) * scales, (0,) * scales, 0) if quantised else None
        tensor = Tensor(
            index=len(self.tensors),
            name=layer.name or layer.operator.lower(),
            shape=shape,
            type=kind,
            bytes=size,
            buffer=len(self.buffers) - 1 if constant else 0,
            constant=constant,
            is_variable=False,
            data_offset=0,
            data_size=size if constant else 0,
            quantization=quantization,
        )
        self.tensors.append(tensor)
        return tensor.index


def _options(layer: SketchLayer) -> dict[str, OptionValue]:
    return {
        "padding": layer.padding,
        "stride_h": layer.stride[0],
        "stride_w": layer.stride[1],
        "dilation_h_factor": layer.dilation[0],
        "dilation_w_factor": layer.dilation[1],
        "filter_height": layer.kernel[0],
        "filter_width": layer.kernel[1],
        "depth_multiplier": 1,
    }
