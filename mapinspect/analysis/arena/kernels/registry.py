"""Which rules a profile's kernels follow, and the memory of one node by them."""

from mapinspect.analysis.arena.kernels import cmsis_nn, esp_nn, reference
from mapinspect.analysis.arena.kernels.custom import custom_memory
from mapinspect.analysis.arena.kernels.node import KernelMemory, Node
from mapinspect.analysis.arena.kernels.reference import Rule
from mapinspect.analysis.arena.kernels.table import OperatorRow, operator_rows
from mapinspect.analysis.arena.profile import Profile

# Where the data is not the first input.
DATA = {"EMBEDDING_LOOKUP": 1, "TRANSPOSE_CONV": 2}


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
        late_views=node.views(*row.late_views),
        refused=_type_refusal(node, row),
    )
    rule = _rules(node.profile).get(code)
    return rule(node, memory) if rule else memory


def _type_refusal(node: Node, row: OperatorRow) -> str | None:
    """Return why the kernel does not accept the types of its data, or None."""
    data, weights = node.input(DATA.get(node.operator.code, 0)), node.input(1)
    if data is None:
        return None
    if row.types and data.type not in row.types:
        return f"does not accept {data.type} data"
    if row.pairs and weights and (data.type, weights.type) not in row.pairs:
        return f"does not accept {data.type} data with {weights.type} weights (hybrid)"
    return None


def params_struct(code: str) -> str | None:
    """Return the structure that parsing operator ``code`` allocates, or None."""
    row: OperatorRow | None = operator_rows().get(code)
    return row.params if row else None
