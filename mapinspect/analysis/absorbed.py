"""Objects that link-time optimisation read: their bytes lie in its own objects, under no name.

Such an object leaves no row of input sections in the map, only its name among the files loaded;
what a row about it counts is a lower bound, and its bytes may be any of those that are mixed.
"""

from mapinspect.analysis.locate import Surroundings, named, owned
from mapinspect.analysis.owner_totals import is_mixed
from mapinspect.model.budget import Match
from mapinspect.model.inspection import Located
from mapinspect.model.link_map import LinkMap, ObjectFile


def absorbed(around: Surroundings, match: Match | None) -> tuple[Located, ...]:
    """Return the mixed places that may belong to what a row selects by object or archive.

    None where link-time optimisation read none of the objects that the row means.
    """
    link_map = around.link_map
    if match is None or link_map is None or (match.object is None and match.archive is None):
        return ()
    known = set(link_map.inputs.occupied_by_owner(range(len(link_map.sections))))
    if not any(is_mixed(owner) for owner in known):
        return ()
    if not any(owned(file, match) for file in _loaded(link_map) - known - _discarded(link_map)):
        return ()
    return named(around, match, lambda owner: is_mixed(owner) and not owned(owner, match))


def _loaded(link_map: LinkMap) -> set[ObjectFile]:
    files = {ObjectFile(path, None) for path in link_map.loaded}
    return files | {item.member for item in link_map.members}


def _discarded(link_map: LinkMap) -> set[ObjectFile]:
    return {item.owner for item in link_map.discarded}
