"""weights-not-in-flash: a model's weights take up RAM.

The weights of every model must lie in read-only memory and stay there. An array without `const`
(what `xxd -i` writes) lands in `.data`: it costs Flash for its load image and the same bytes of
RAM again at run time. Weights that are copied on purpose are declared: a `[[placement]]` row with
`strategy = "copied"` or `"psram"` is then what they are judged by. Large tensors that start-up
copies to RAM count too where the whole model lies in Flash besides.

    error[weights-not-in-flash]: g_model (41456 bytes of weights) takes up RAM in .data, and
      again in FLASH

Mend it by declaring the array `const` (on AVR `const … PROGMEM`), and by placing its section in
Flash.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.checks.rows import declares_copy
from mapinspect.model.embedded import unnamed
from mapinspect.model.finding import Outcome, broken, holds, not_claimed, undecided
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Inspection, Located, arrays
from mapinspect.model.region_kind import FLASH_KINDS, RAM_KINDS


@check("weights-not-in-flash", "the weights of every model lie in Flash, read-only", __doc__)
def weights_not_in_flash(inspection: Inspection) -> Iterator[Outcome]:
    """Judge every copy of every model, also of those that nobody named, by section and region."""
    others = unnamed(inspection.embedded)
    if not inspection.models and not others:
        yield not_claimed("weights", "no model is given")
    for model in inspection.models:
        if not model.copies and not model.parts:
            yield not_claimed(model.entry.name, "its weights were not found")
        for part in arrays((*model.parts, *model.in_ram)):
            yield _judge(inspection, part, part.span.size)
        for copy in model.copies:
            yield _judge(inspection, copy.place, copy.place.span.size or model.size)
    for other in others:
        yield _judge(inspection, other.place, other.place.span.size)


def _judge(inspection: Inspection, place: Located, size: int) -> Outcome:
    if declares_copy(inspection, place):
        reason = "placement-broken judges the strategy that the table declares"
        return not_claimed(place.name, reason)
    kind = inspection.kind(place.region) if place.region else None
    if not place.section.writable and _only_attributes_say_ram(inspection, place):
        message = (
            f"{place.name} lies in {place.region}, which the linker script calls writable "
            "(w in its attributes): Flash or RAM?"
        )
        remedy = f'write kind = "flash" or "sram" in the [[region]] row of {place.region}'
        return undecided(place.name, message, _evidence(place), remedy)
    # Another array can make a section one that may be written; in Flash nothing copies it.
    stays = kind in FLASH_KINDS and place.lma == place.span.start
    if kind in RAM_KINDS or (place.section.writable and not stays):
        return _in_ram(inspection, place, size)
    if kind not in FLASH_KINDS:
        message = f"{place.name} lies in {place.region or 'no region'}, whose kind is unknown"
        remedy = 'write kind = "flash" or "sram" in its [[region]]'
        return undecided(place.name, message, _evidence(place), remedy)
    if place.lma != place.span.start and not _is_one_bank(inspection, place):
        return _moved(place)
    return holds(place.name)


def _evidence(place: Located) -> tuple[Evidence, ...]:
    return (place.evidence, place.section.evidence)


def _in_ram(inspection: Inspection, place: Located, size: int) -> Outcome:
    cost = f", and again in {place.load_region}" if place.load_region else ""
    message = (
        f"{place.name} ({size} bytes of weights) takes up {place.region or 'RAM'} "
        f"in {place.section.name}{cost}"
    )
    return broken(place.name, message, _evidence(place), _remedy(inspection))


def _moved(place: Located) -> Outcome:
    """Return that weights are read elsewhere than where they are stored, in what is no RAM."""
    message = (
        f"{place.name} is stored at {place.lma:#010x} and read at {place.span.start:#010x}: "
        f"a copy, though {place.region} is said to be Flash"
    )
    remedy = "mend the region's kind; of one Flash at two addresses the part's table tells"
    return undecided(place.name, message, _evidence(place), remedy)


def _remedy(inspection: Inspection) -> str:
    if inspection.elf is not None and inspection.elf.machine == "AVR":
        return "declare the array const PROGMEM, and read it by pgm_read_byte: const alone is RAM"
    return "declare the array const, in a Flash section"


def _is_one_bank(inspection: Inspection, place: Located) -> bool:
    """Return whether the part has one memory at both addresses, seen twice."""
    part = inspection.part
    if part is None:
        return False
    stored = part.bank_of(Span(place.lma, place.span.size))
    return stored is not None and stored == part.bank_of(place.span)


def _is_known_ram(inspection: Inspection, place: Located) -> bool:
    """Return whether the part has RAM there."""
    bank = inspection.part.bank_of(place.span) if inspection.part is not None else None
    return bank is not None and bank.kind == "ram"


def _only_attributes_say_ram(inspection: Inspection, place: Located) -> bool:
    """Return whether nothing but a ``w`` among the region's attributes speaks of RAM.

    Scripts that write ``FLASH (rwx)`` are common. Bytes that are stored where they are read, in a
    section that is not writable, may as well be in Flash; only the table can tell.
    """
    named = any(row.name == place.region and row.kind for row in inspection.table.regions)
    return (
        not named
        and place.lma == place.span.start
        and inspection.kind(place.region or "") in RAM_KINDS
        and not _is_known_ram(inspection, place)
    )
