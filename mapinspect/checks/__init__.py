"""Every check, listed by hand in the order in which reports show them."""

from typing import Final

from mapinspect.checks.arena_misplaced import arena_misplaced
from mapinspect.checks.arena_oversized import arena_oversized
from mapinspect.checks.arena_too_small import arena_too_small
from mapinspect.checks.bytes_not_conserved import bytes_not_conserved
from mapinspect.checks.check import Check, Review
from mapinspect.checks.constants_in_ram import constants_in_ram
from mapinspect.checks.data_not_stored import data_not_stored
from mapinspect.checks.dma_unreachable import dma_unreachable
from mapinspect.checks.embedded_model_differs import embedded_model_differs
from mapinspect.checks.free_block_too_small import free_block_too_small
from mapinspect.checks.growth_over_limit import growth_over_limit
from mapinspect.checks.heap_reachable import heap_reachable
from mapinspect.checks.limit_beyond_memory import limit_beyond_memory
from mapinspect.checks.map_elf_disagree import map_elf_disagree
from mapinspect.checks.map_lines_unknown import map_lines_unknown
from mapinspect.checks.measured_over_reserve import measured_over_reserve
from mapinspect.checks.measurement_doubtful import measurement_doubtful
from mapinspect.checks.measurement_stale import measurement_stale
from mapinspect.checks.operators_missing import operators_missing
from mapinspect.checks.placement_broken import placement_broken
from mapinspect.checks.region_beyond_part import region_beyond_part
from mapinspect.checks.region_not_budgeted import region_not_budgeted
from mapinspect.checks.region_over_budget import region_over_budget
from mapinspect.checks.row_matches_nothing import row_matches_nothing
from mapinspect.checks.row_over_budget import row_over_budget
from mapinspect.checks.row_under_minimum import row_under_minimum
from mapinspect.checks.section_orphaned import section_orphaned
from mapinspect.checks.section_outside_regions import section_outside_regions
from mapinspect.checks.sections_overlap import sections_overlap
from mapinspect.checks.stack_collision import stack_collision
from mapinspect.checks.stack_misplaced import stack_misplaced
from mapinspect.checks.stacks_unproven import stacks_unproven
from mapinspect.checks.static_constructors import static_constructors
from mapinspect.checks.waiver_matches_nothing import waiver_matches_nothing
from mapinspect.checks.weights_duplicated import weights_duplicated
from mapinspect.checks.weights_misaligned import weights_misaligned
from mapinspect.checks.weights_missing import weights_missing
from mapinspect.checks.weights_not_in_flash import weights_not_in_flash
from mapinspect.checks.weights_scattered import weights_scattered
from mapinspect.checks.weights_slow import weights_slow

CHECKS: Final[tuple[Check, ...]] = (
    region_over_budget,
    row_over_budget,
    row_under_minimum,
    growth_over_limit,
    region_beyond_part,
    section_outside_regions,
    sections_overlap,
    section_orphaned,
    data_not_stored,
    weights_missing,
    weights_not_in_flash,
    weights_misaligned,
    weights_duplicated,
    weights_scattered,
    weights_slow,
    embedded_model_differs,
    arena_too_small,
    arena_oversized,
    arena_misplaced,
    operators_missing,
    placement_broken,
    constants_in_ram,
    dma_unreachable,
    free_block_too_small,
    stack_collision,
    stack_misplaced,
    stacks_unproven,
    measured_over_reserve,
    measurement_stale,
    measurement_doubtful,
    heap_reachable,
    static_constructors,
    row_matches_nothing,
    region_not_budgeted,
    limit_beyond_memory,
    map_elf_disagree,
    bytes_not_conserved,
    map_lines_unknown,
)

REVIEWS: Final[tuple[Review, ...]] = (waiver_matches_nothing,)
"""Checks of what the others answered; they run last."""

CATALOGUE: Final[tuple[Check | Review, ...]] = (*CHECKS, *REVIEWS)
