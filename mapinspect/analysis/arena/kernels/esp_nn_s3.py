"""Scratch of ESP-NN's convolutions on the ESP32-S3, in bytes.

The formulas keep the letters of their description in ARENA.md: W, H input
width and height, C input channels, O output channels, kw, kh kernel, sw, sh stride, pw, ph
padding at left and top, OW, OH output size, M depth multiplier.
"""

from dataclasses import dataclass

NEW_RULES = (1, 2, 1)  # convolution and depthwise rules of ESP-NN 1.2.1
LARGER_MARGIN = (1, 2, 3)
DEPTHWISE_MARGIN = (1, 2, 0)
FRAME_LIMIT = 40960  # bytes of a padded frame above which rows are copied instead
WORK_LIMIT = 49152


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers of the formulas, by their letters."""

    W: int
    H: int
    C: int
    O: int  # noqa: E741 - the letter of the formulas
    kw: int
    kh: int
    sw: int
    sh: int
    pw: int
    ph: int
    OW: int
    OH: int
    M: int

    @property
    def padded(self) -> bool:
        """Return whether there is padding at left or top."""
        return bool(self.pw or self.ph)

    @property
    def frame(self) -> int:
        """Return the bytes of the input with padding on both sides, 0 without padding."""
        return (self.W + 2 * self.pw) * (self.H + 2 * self.ph) * self.C if self.padded else 0

    @property
    def pointwise(self) -> bool:
        """Return whether this is a 1 x 1 kernel with stride 1 and no padding."""
        return (self.kw, self.kh, self.sw, self.sh) == (1, 1, 1, 1) and not self.padded


def up(size: int, alignment: int) -> int:
    """Return ``size`` rounded up to a multiple of ``alignment``."""
    return -(-size // alignment) * alignment


def pointwise(s: Shape) -> int:
    """Return the bytes of a 1 x 1 convolution, without the margin."""
    aligned = up(s.C, 8)
    copied = s.W * s.H * aligned if s.C % 8 else 0
    return aligned * s.O + copied + (16 * aligned if s.W * s.H >= 8 else 0)


def convolve_s3(s: Shape, version: tuple[int, ...]) -> int:
    """Return the scratch of CONV_2D."""
    if version < NEW_RULES:
        return convolve_before_1_2_1(s)
    margin = 64 if version >= LARGER_MARGIN else 32
    if s.pointwise:
        return pointwise(s) + margin
    window = s.kw * s.kh * s.C
    if s.kw * s.C < 16 <= window:
        return 4 * s.O + (s.O + 1) * up(window, 16) + 32 + margin
    right = max(0, s.OW * s.sw + s.kw - 1 - s.W)
    bottom = max(0, s.OH * s.sh + s.kh - 1 - s.H)
    filters = s.kw * s.kh * up(s.C, 16) * s.O + up(s.kw * s.C, 16) * s.kh * s.O
    extended = (s.W + right) * (s.H + bottom) * s.C if right or bottom else 0
    return s.frame + filters + extended + 4 * s.O + margin


def convolve_before_1_2_1(s: Shape) -> int:
    """Return the scratch of CONV_2D up to ESP-NN 1.2.0; on the P4 up to 1.2.2."""
    if s.pointwise:
        return pointwise(s) + 32
    return s.frame + s.kw * s.kh * up(s.C, 16) * s.O + 4 * s.O + 32


def depthwise_s3(s: Shape, version: tuple[int, ...]) -> int:
    """Return the scratch of DEPTHWISE_CONV_2D."""
    if version < NEW_RULES:
        return _depthwise_before_1_2_1(s, 32 if version >= DEPTHWISE_MARGIN else 16)
    window = s.kw * s.kh * s.C
    if s.M == 1 and s.C % 8 == 0:
        return _depthwise_3x3(s) if (s.kw, s.kh) == (3, 3) else _depthwise_multiple_of_8(s)
    if s.M == 1 and s.C > 3:
        padded = up(s.C, 8)
        size = up(2 * s.kw * s.kh * padded, 16)
        size = up(size + 2 * s.W * s.H * padded, 16)
        return up(size + s.OW * s.OH * padded, 16) + 12 * padded + 16
    if s.M % 4 == 0:
        return 2 * (window * s.M + s.W * s.H * s.C) + 32
    return 32


def _extension(s: Shape) -> tuple[int, int]:
    """Return by how much the 3 x 3 kernel's input is extended in width and height."""
    if s.padded:
        return 2 * s.pw, 2 * s.ph
    return s.OW * s.sw + 2 - s.W, s.OH * s.sh + 2 - s.H


def _depthwise_3x3(s: Shape) -> int:
    if s.C % 16 == 0:
        width, height = _extension(s)
        if not width and not height:
            return 9 * s.C + 16
        frame = (s.W + width) * (s.H + height) * s.C
        return 9 * s.C + 16 + (frame if frame <= FRAME_LIMIT else 3 * (s.W + width) * s.C)
    if s.C == 8:
        return 2 * (72 + 8 * s.W * s.H) + 32
    n = up(s.C, 16)
    width = 2 * s.pw + max(0, s.OW * s.sw + 2 - s.W)
    height = 2 * s.ph + max(0, s.OH * s.sh + 2 - s.H)
    return 9 * n + (s.W + width) * (s.H + height) * n + s.OW * s.OH * n + 64


def _depthwise_multiple_of_8(s: Shape) -> int:
    window = s.kw * s.kh * s.C
    total = 2 * (window + s.W * s.H * s.C)
    return total + 32 if total <= WORK_LIMIT else 2 * window + 2 * s.W * s.kh * s.C + 32


def _depthwise_before_1_2_1(s: Shape, margin: int) -> int:
    window = s.kw * s.kh * s.C
    if s.M == 1 and s.C % 8 == 0 and (s.kw, s.kh) == (3, 3):
        if s.C % 16 == 0:
            width, height = _extension(s)
            frame = (s.W + width) * (s.H + height) * s.C if width or height else 0
            return 9 * s.C + 16 + frame
        return 2 * (9 * s.C + s.W * s.H * s.C) + margin
    if s.M % 4 == 0:
        return 2 * (window * s.M + s.W * s.H * s.C) + margin
    return 32
