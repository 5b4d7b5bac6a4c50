"""What a model needs in a given image, over all builds that the image may hold."""

from dataclasses import replace

from mapinspect.analysis.arena.kernels.custom import signal_reason
from mapinspect.analysis.arena.need import SAME_ARENA, need
from mapinspect.analysis.arena.recognise import ProfileChoice
from mapinspect.model.arena import ArenaNeed
from mapinspect.model.network import Network


def build_need(network: Network, choice: ProfileChoice, *, end: int = 0) -> ArenaNeed:
    """Return the need of ``network`` over the profiles of ``choice``.

    ``smallest`` is the least of them, ``enough`` the largest; where they differ, the figure is
    not exact and the reasons name each. ``end`` is by how many bytes the arena's end lies past a
    multiple of 16.
    """
    variables = SAME_ARENA if choice.variables else None
    needs = [
        _trusted(need(network, profile, variables=variables, end=end), choice)
        for profile in choice.profiles
    ]
    least = min(needs, key=lambda entry: entry.smallest)
    reasons = list(dict.fromkeys(reason for entry in needs for reason in entry.reasons))
    figures = {entry.smallest: entry.profile for entry in reversed(needs)}
    if len(figures) > 1:
        builds = ", ".join(f"{size} with {name}" for size, name in sorted(figures.items()))
        reasons.append(f"the image may hold several builds: {builds}")
    reasons += choice.reasons
    bounds = [entry.enough for entry in needs]
    known = not choice.reasons and None not in bounds
    return replace(
        least,
        exact=not reasons,
        reasons=tuple(reasons),
        enough=max(bound for bound in bounds if bound is not None) if known else None,
    )


def _trusted(found: ArenaNeed, choice: ProfileChoice) -> ArenaNeed:
    """Return the need without doubts about signal operators where their library is linked."""
    if not choice.signal:
        return found
    reasons = tuple(reason for reason in found.reasons if not signal_reason(reason))
    if len(reasons) == len(found.reasons):
        return found
    certain = not reasons and found.refused is None
    return replace(
        found,
        reasons=reasons,
        exact=not reasons,
        enough=found.smallest if certain else None,
    )
