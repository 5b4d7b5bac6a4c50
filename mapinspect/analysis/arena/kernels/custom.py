"""Custom operators: those that ship with the runtime are counted, all are a lower bound.

Which kernel stands behind a custom name is the application's choice, so no figure with one in it
is exact; where the name is the runtime's own, its kernel is assumed and counted.
"""

from collections.abc import Callable
from dataclasses import replace

from mapinspect.analysis.arena.kernels import signal
from mapinspect.analysis.arena.kernels.node import KernelMemory, Node, dimension


def circular_buffer(node: Node, memory: KernelMemory) -> KernelMemory:
    """CIRCULAR_BUFFER: its record."""
    return replace(memory, records=(node.profile.sizes["OpDataCircularBuffer"],))


def ethos_u(node: Node, memory: KernelMemory) -> KernelMemory:
    """ethos-u: base addresses and sizes of every input and output."""
    count = len(node.operator.inputs) + len(node.operator.outputs)
    return replace(
        memory,
        records=(node.profile.sizes["EthosUOpData"],),
        scratch=(8 * count, node.profile.sizes.pointer * count),
    )


def detection_postprocess(node: Node, memory: KernelMemory) -> KernelMemory:
    """TFLite_Detection_PostProcess: candidates, decoded boxes, scores and sorting buffers."""
    boxes = dimension(node.input(0), 1)
    scores = dimension(node.input(1), 1) * dimension(node.input(1), 2)
    classes, detections = node.number("num_classes"), node.number("max_detections")
    kept = 4 * detections * boxes
    return replace(
        memory,
        records=(node.profile.sizes["DetectionPostprocessOpData"],),
        scratch=(
            boxes,
            16 * boxes,
            4 * scores,
            4 * boxes,
            4 * boxes,
            kept,
            kept,
            4 * boxes,
            kept,
            4 * max(classes, detections) * boxes,
            4 * min(boxes, detections) * boxes,
        ),
        views=node.views(0, 1, 2),
    )


RULES: dict[str, Callable[[Node, KernelMemory], KernelMemory]] = {
    **signal.RULES,
    "CIRCULAR_BUFFER": circular_buffer,
    "TFLite_Detection_PostProcess": detection_postprocess,
    "ethos-u": ethos_u,
}


_ASSUMED = "the custom operator {} is taken for the kernel that ships with the runtime"


def signal_reason(reason: str) -> bool:
    """Return whether ``reason`` is only that a signal operator's kernel is assumed."""
    return any(reason == _ASSUMED.format(name) for name in signal.RULES)


def custom_memory(node: Node) -> KernelMemory:
    """Return what the kernel of a custom operator takes, as far as it is known."""
    name = node.operator.custom or ""
    rule = RULES.get(name)
    if rule is None:
        shown = name or "without a name"
        return KernelMemory(unsure=f"the custom operator {shown} is not modelled")
    reason = _ASSUMED.format(name)
    return rule(node, KernelMemory(views=node.all_views(), unsure=reason))
