"""Members of thin archives: the map names their objects, and not the archive they came from.

ld prints such a member by its own path, in the list of files loaded only the archive (binutils
bfd/opncls.c: a member of a thin archive is opened as a file). Which archive had it is not told.
"""

from mapinspect.analysis.locate import Surroundings, named, path_matches
from mapinspect.analysis.owner_totals import is_mixed
from mapinspect.analysis.owners import STUBS
from mapinspect.model.budget import Match
from mapinspect.model.inspection import Located
from mapinspect.model.link_map import ObjectFile


def thin_members(around: Surroundings, match: Match | None) -> tuple[Located, ...]:
    """Return the places of objects that may come from an archive that a row means.

    None where every archive that it means is named as the origin of some object, or where every
    object is named among the files loaded.
    """
    link_map = around.link_map
    if match is None or link_map is None or match.archive is None:
        return ()
    known = set(link_map.inputs.occupied_by_owner(range(len(link_map.sections))))
    named_ones = {owner.archive or owner.path for owner in known}
    archives = (path for path in link_map.loaded if path not in named_ones)
    if not any(path_matches(path, match.archive) for path in archives):
        return ()
    loaded = {*link_map.loaded, STUBS}

    def is_member(owner: ObjectFile) -> bool:
        """Return whether an object may be a member that the row means."""
        stray = owner.archive is None and owner.path not in loaded and not is_mixed(owner)
        return stray and (match.object is None or path_matches(owner.path, match.object))

    return named(around, match, is_member) if any(map(is_member, known)) else ()
