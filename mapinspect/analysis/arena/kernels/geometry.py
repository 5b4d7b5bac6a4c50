"""Geometry of convolutions, by TensorFlow's padding rules: output size and padding."""

from dataclasses import dataclass

from mapinspect.analysis.arena.kernels.node import Node, dimension


@dataclass(frozen=True, slots=True)
class Convolution:
    """One convolution: batch, input, kernel and output in elements, padding at left and top.

    ``channels`` are those of the input, ``filter_channels`` those of the filter, ``outputs``
    those of the output.
    """

    batch: int
    width: int
    height: int
    channels: int
    filter_channels: int
    outputs: int
    kernel_width: int
    kernel_height: int
    stride_width: int
    stride_height: int
    dilation_width: int
    dilation_height: int
    output_width: int
    output_height: int
    pad_width: int
    pad_height: int

    @property
    def kernel_size(self) -> int:
        """Return kernel width x kernel height."""
        return self.kernel_width * self.kernel_height

    @property
    def padded(self) -> bool:
        """Return whether there is padding at left or top."""
        return self.pad_width > 0 or self.pad_height > 0


def convolution(node: Node) -> Convolution:
    """Return the geometry of a CONV_2D or DEPTHWISE_CONV_2D (input 0, filter 1).

    A depthwise filter is (1, height, width, outputs), that of a convolution (outputs, height,
    width, channels).
    """
    data, weights = node.input(0), node.input(1)
    depthwise = node.operator.code == "DEPTHWISE_CONV_2D"
    strides = max(node.number("stride_w"), 1), max(node.number("stride_h"), 1)
    dilations = _dilation(node, "dilation_w_factor"), _dilation(node, "dilation_h_factor")
    kernel = dimension(weights, 2), dimension(weights, 1)
    size = dimension(data, 2), dimension(data, 1)
    same = node.operator.options.get("padding") == "SAME"
    across = [_side(size[i], kernel[i], strides[i], dilations[i], same=same) for i in range(2)]
    return Convolution(
        batch=dimension(data, 0),
        width=size[0],
        height=size[1],
        channels=dimension(data, 3),
        filter_channels=dimension(weights, 3),
        outputs=dimension(weights, 3 if depthwise else 0),
        kernel_width=kernel[0],
        kernel_height=kernel[1],
        stride_width=strides[0],
        stride_height=strides[1],
        dilation_width=dilations[0],
        dilation_height=dilations[1],
        output_width=across[0][0],
        output_height=across[1][0],
        pad_width=across[0][1],
        pad_height=across[1][1],
    )


def _dilation(node: Node, name: str) -> int:
    return max(node.number(name), 1)


def _side(size: int, kernel: int, stride: int, dilation: int, *, same: bool) -> tuple[int, int]:
    """Return the output size and the padding before the first element, of one dimension."""
    effective = (kernel - 1) * dilation + 1
    if same:
        output = -(-size // stride)
        return output, max((output - 1) * stride + effective - size, 0) // 2
    output = max(-(-(size - effective + 1) // stride), 0)
    # VALID pads nothing, unless the filter is larger than the input and no output remains.
    return output, max((output - 1) * stride + effective - size, 0) // 2
