"""What models need, against the pieces of a failed link's map that seem to be theirs."""

from collections.abc import Iterable, Iterator, Mapping

from mapinspect.analysis.arenas import arena_facts
from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.overflow import MAP_BITS
from mapinspect.analysis.pieces import MapImage, pieces
from mapinspect.analysis.regions import map_regions
from mapinspect.analysis.sections import sections_of_map
from mapinspect.model.arena import ArenaNeed
from mapinspect.model.budget import ModelEntry
from mapinspect.model.diagnosis import PlannedArena, PlannedWeights
from mapinspect.model.link_map import LinkMap


def image_of_map(link_map: LinkMap, bits: int = MAP_BITS) -> MapImage:
    """Return the map with the sections and regions that it alone tells."""
    regions = map_regions(link_map, bits)
    return MapImage(link_map, sections_of_map(link_map, regions), regions)


def planned_arenas(
    image: MapImage, entries: Iterable[ModelEntry], needs: Mapping[str, ArenaNeed]
) -> tuple[PlannedArena, ...]:
    """Return each arena that models need, with the pieces that match its name."""
    around = Surroundings(image.sections, image.regions, {}, None, image.link_map)
    return tuple(
        PlannedArena(
            facts.models, facts.wanted, facts.needed, facts.exact, pieces(image, facts.wanted)
        )
        for facts in arena_facts(around, entries, needs)
        if facts.needed is not None
    )


def costly_weights(image: MapImage, entries: Iterable[ModelEntry]) -> Iterator[PlannedWeights]:
    """Yield the models' arrays that are copied to RAM at start-up, by the map's addresses."""
    for entry in entries:
        for piece in pieces(image, entry.symbol) if entry.symbol else ():
            if piece.loaded_from is not None:
                yield PlannedWeights(entry.name, piece)
