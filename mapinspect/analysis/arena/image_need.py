"""What a model needs of its arena in a given image: by the runtime named, or the one seen."""

from mapinspect.analysis.arena.build_need import build_need
from mapinspect.analysis.arena.greedy import plan
from mapinspect.analysis.arena.profile import older_versions, profile
from mapinspect.analysis.arena.recognise import ProfileChoice, recognise
from mapinspect.model.arena import ArenaNeed, BuildEvidence
from mapinspect.model.network import Network

PLAN_ONLY = "plan-only"


def image_need(
    network: Network, runtime: str | None, evidence: BuildEvidence | None, *, end: int = 0
) -> ArenaNeed:
    """Return the need under the runtime that the table names, or the one seen in the image.

    ``end`` is by how many bytes the arena's end lies past a multiple of 16. Where no runtime is
    recognised only the plan is counted: a lower bound.
    """
    if runtime == PLAN_ONLY:
        return head_only(network, known=True)
    choice = None if evidence is None else recognise(evidence)
    return head_only(network) if choice is None else build_need(network, choice, end=end)


def target_need(network: Network, target: str, kernels: str, *, end: int = 0) -> ArenaNeed:
    """Return the need over the versions of the kernel set that may be meant.

    Raises UnknownProfileError for a target or kernel set that is not known.
    """
    chosen = profile(target, kernels)
    others = older_versions(chosen) if chosen.version_matters else ()
    choice = ProfileChoice((chosen, *others), (), (), variables=True, signal=False)
    return build_need(network, choice, end=end)


def head_only(network: Network, *, known: bool = False) -> ArenaNeed:
    """Return the head of the plan: all that a plan-only runtime needs, else a lower bound."""
    found = plan(network)
    return ArenaNeed(
        model=network.path,
        profile=PLAN_ONLY if known else "no known runtime",
        plan=found,
        nonpersistent=found.head,
        persistent=0,
        smallest=found.head,
        exact=known,
        reasons=() if known else ("no runtime is recognised, so only the plan is counted",),
        refused=None,
        accepted=found.head,
        enough=found.head if known else None,
    )
