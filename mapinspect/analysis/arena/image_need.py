"""What a model needs of its arena in a given image: by the runtime named, or the one seen."""

from collections.abc import Sequence
from dataclasses import replace

from mapinspect.analysis.arena.build_need import build_need
from mapinspect.analysis.arena.contradictions import contradictions
from mapinspect.analysis.arena.greedy import plan
from mapinspect.analysis.arena.profile import older_versions, profile
from mapinspect.analysis.arena.recognise import ProfileChoice, recognise
from mapinspect.model.arena import ArenaNeed, BuildEvidence
from mapinspect.model.network import Network

PLAN_ONLY = "plan-only"
_OTHER_RUNTIME = "the table says plan-only, but TensorFlow Lite Micro is linked"


def image_need(
    network: Network, runtime: str | None, evidence: BuildEvidence | None, *, end: int = 0
) -> ArenaNeed:
    """Return the need under the runtime that the table names, or the one seen in the image.

    ``end`` is by how many bytes the arena's end lies past a multiple of 16. Where no runtime is
    recognised only the plan is counted: a lower bound. So it is where the table says that only the
    plan counts, and the image has TensorFlow Lite Micro.
    """
    choice = None if evidence is None else recognise(evidence)
    if runtime == PLAN_ONLY:
        return _doubted(head_only(network, known=True), [] if choice is None else [_OTHER_RUNTIME])
    return head_only(network) if choice is None else build_need(network, choice, end=end)


def target_need(
    network: Network,
    target: str,
    kernels: str,
    evidence: BuildEvidence | None = None,
    *,
    end: int = 0,
) -> ArenaNeed:
    """Return the need over the versions of the kernel set that may be meant.

    Where the image shows another build the figure is a lower bound, with the reason. Raises
    UnknownProfileError for a target or kernel set that is not known.
    """
    chosen = profile(target, kernels)
    others = older_versions(chosen) if chosen.version_matters else ()
    choice = ProfileChoice((chosen, *others), (), (), variables=True, signal=False)
    declared = build_need(network, choice, end=end)
    if evidence is None:
        return declared
    seen = recognise(evidence)
    reasons = list(contradictions(chosen, evidence, seen))
    if seen is not None and not reasons:
        least = build_need(network, seen, end=end).smallest
        if least > declared.smallest:
            reasons.append(f"the image's own runtime needs at least {least}, not as {chosen.name}")
    return _doubted(declared, reasons)


def _doubted(found: ArenaNeed, reasons: Sequence[str]) -> ArenaNeed:
    """Return the need as a lower bound for these reasons; as it is where there are none."""
    if not reasons:
        return found
    return replace(found, exact=False, reasons=(*found.reasons, *reasons), enough=None)


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
        end=None,
    )
