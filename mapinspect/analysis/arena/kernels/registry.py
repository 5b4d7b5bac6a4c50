"""Which rules a profile's kernels follow, and the memory of one node by them."""

from mapinspect.analysis.arena.kernels import cmsis_nn, esp_nn, reference
from mapinspect.analysis.arena.kernels.custom import custom_memory
from mapinspect.analysis.arena.kernels.node import KernelMemory, Node
from mapinspect.analysis.arena.kernels.reference import Rule
from mapinspect.analysis.arena.kernels.table import OperatorRow, operator_rows
from mapinspect.analysis.arena.profile import Profile


def _rules(profile: Profile) -> dict[str, Rule]:
    if profile.variant == "reference":
        return reference.RULES
    return cmsis_nn.RULES if profile.variant == "cmsis-nn" else esp_nn.RULES


def kernel_memory(node: Node) -> KernelMemory:
    """Return what the kernel of ``node`` takes; an operator without a kernel is refused."""
    code = node.operator.code
    if code == "CUSTOM":
        return custom_memory(node)
    row = operator_rows().get(code)
    if row is None:
        return KernelMemory(refused=f"TensorFlow Lite Micro has no kernel for {code}")
    sizes = node.profile.sizes
    memory = KernelMemory(
        records=(sizes[row.data],) if row.data and sizes[row.data] else (),
        views=node.all_views() if row.views is None else node.views(*row.views),
    )
    rule = _rules(node.profile).get(code)
    return rule(node, memory) if rule else memory


def params_struct(code: str) -> str | None:
    """Return the structure that parsing operator ``code`` allocates, or None."""
    row: OperatorRow | None = operator_rows().get(code)
    return row.params if row else None
