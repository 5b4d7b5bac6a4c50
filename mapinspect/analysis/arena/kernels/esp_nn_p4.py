"""Scratch of ESP-NN's CONV_2D on the ESP32-P4, in bytes; letters as for the S3."""

from mapinspect.analysis.arena.kernels.esp_nn_s3 import (
    Shape,
    convolve_before_1_2_1,
    pointwise,
    up,
)

NEW_RULES = (1, 2, 3)
BLOCK = 32768  # bytes of fast memory that one block of rows may fill


def convolve_p4(s: Shape, version: tuple[int, ...]) -> int:
    """Return the scratch of CONV_2D."""
    if version < NEW_RULES:
        return convolve_before_1_2_1(s)
    if s.pointwise:
        return 20 * s.O + 64 if s.C < 16 else pointwise(s) + 32
    if not s.padded and s.kw * s.C >= 16:
        return s.kw * s.kh * up(s.C, 16) * s.O + 4 * s.O + 32
    if s.kw * s.kh * s.C >= 16:
        return 4 * s.O + s.kw * s.kh * s.C + 32
    return _small_window(s)


def _small_window(s: Shape) -> int:
    channels = up(-(-16 // s.kw), 16) if s.kw else 16
    filters = s.kw * s.kh * channels * s.O
    if not s.padded:
        return 4 * s.O + filters + s.W * s.H * channels + 32
    if s.frame + 4 * s.O <= BLOCK:
        return s.frame + s.kw * s.kh * up(s.C, 16) * s.O + 4 * s.O + 32
    row = (s.W + 2 * s.pw) * channels
    left = BLOCK - 4 * s.O - filters
    rows = 1
    if left > 0 and s.kh * row <= left:
        rows = min((left - s.kh * row) // (s.sh * row) + 1, s.OH)
    return ((rows - 1) * s.sh + s.kh + 2 * s.ph) * row + filters + 4 * s.O + 32
