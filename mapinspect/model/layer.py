"""What a model costs, layer by layer, and the estimates that stand beside the exact arena."""

from dataclasses import dataclass

from mapinspect.model.arena import ArenaNeed
from mapinspect.model.network import Network


@dataclass(frozen=True, slots=True)
class Layer:
    """An operator and what it costs; sizes are bytes.

    ``weights`` and ``biases`` are constants as stored, each buffer counted where it is first
    used; ``parameters`` are their elements. ``multiplications`` counts multiply-accumulates of
    one inference. ``activations`` is its inputs plus outputs that live in the arena, unrounded;
    ``workspace`` its scratch buffers; ``live`` everything alive in the arena while it runs, each
    rounded to 16. ``step`` is when it runs first, None for an operator that nothing calls.
    """

    subgraph: int
    index: int
    operator: str
    shape: tuple[int, ...]
    type: str
    parameters: int
    weights: int
    biases: int
    multiplications: int
    activations: int
    workspace: int
    live: int
    step: int | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rule of thumb: its formula in words, the numbers put in, and a range in bytes."""

    name: str
    formula: str
    inputs: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Peak:
    """The step at which most bytes of the arena are alive, and which tensors those are.

    ``bound`` is their sum in bytes, the least any plan could do; ``tensors`` are (subgraph,
    tensor) and ``operators`` those whose scratch buffers are alive.
    """

    step: int
    operator: str
    bound: int
    tensors: tuple[tuple[int, int], ...]
    operators: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ModelCost:
    """Everything that is known of a model before it is linked.

    ``by_type`` divides the bytes of weights and biases by tensor type; ``constants`` are other
    stored tensors (shapes, axes, tables). ``operators`` are the kernels it needs, with how often
    it uses each. ``alternatives`` are the needs under other versions of the kernel set that may
    be meant. ``log`` explains what the runtime wrote, where its log was given.
    """

    network: Network
    target: str
    kernels: str
    need: ArenaNeed
    alternatives: tuple[ArenaNeed, ...]
    layers: tuple[Layer, ...]
    by_type: tuple[tuple[str, int], ...]
    constants: int
    operators: tuple[tuple[str, int], ...]
    peak: Peak
    estimates: tuple[Estimate, ...]
    log: tuple["LogNote", ...] = ()

    @property
    def weights(self) -> int:
        """Return the bytes of weights and biases."""
        return sum(size for _, size in self.by_type)

    @property
    def complete(self) -> bool:
        """Return whether every figure could be computed."""
        return self.need.refused is None and (self.need.exact or self.network.sketched)


@dataclass(frozen=True, slots=True)
class SharedArena:
    """What models need that take turns in one arena: heads overlap, tails add up; bytes."""

    nonpersistent: int
    persistent: int
    smallest: int
    exact: bool


@dataclass(frozen=True, slots=True)
class LogNote:
    """A line of a runtime's log and what it means.

    ``agrees`` says whether its figures are the computed ones, None where it has none.
    """

    line: int
    text: str
    meaning: str
    agrees: bool | None
