"""``mapinspect show``: what is in an image, as tables."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from mapinspect.analysis import listings, owner_listings
from mapinspect.analysis.declared import hidden
from mapinspect.analysis.inspect import Records, inspect, surroundings
from mapinspect.analysis.listings import SORTS
from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.owner_totals import owned_symbols
from mapinspect.analysis.owners import Pieces, pieces_of
from mapinspect.cli.outputs import print_text, write_text
from mapinspect.cli.run import EXIT_INPUT, report_input_error
from mapinspect.cli.sources import (
    read_elf_file,
    read_link_map,
    read_named_part,
    read_script_regions,
    read_table,
    refuse_same,
)
from mapinspect.errors import InputError
from mapinspect.model.inspection import Inspection
from mapinspect.model.listing import Choice, Listing
from mapinspect.model.owner import Declarations

FORMATS: Final = ("text", "json", "csv")
_FILE = click.Path(path_type=Path)
_OF_THE_MAP = ("objects", "archives")
_DECLARED = ("objects", "symbols")  # what --debug-info tells more of


@click.command("show", epilog="Exit status: 0 complete, 2 incomplete or unreadable, 3 a bug.")
@click.argument("what", type=click.Choice(tuple(SORTS)))
@click.option("--elf", type=_FILE, required=True, help="The linked ELF file.")
@click.option("--map", "map_", type=_FILE, help="The GNU ld map of the same link (-Wl,-Map=F).")
@click.option("--config", type=_FILE, help="A budget table that gives the regions' addresses.")
@click.option("--linker-script", "script", type=_FILE, help="Its MEMORY block, where no map is.")
@click.option("--mcu", metavar="PART", help="The microcontroller: its memories, where no map is.")
@click.option("--region", metavar="R", help="Only what lies in this region.")
@click.option("--sort", metavar="K", help="size (largest first), address or name.")
@click.option("--top", metavar="N", type=click.IntRange(min=1), help="Only the first N rows.")
@click.option("--filter", "glob", metavar="GLOB", help="Only rows whose name matches.")
@click.option(
    "--debug-info",
    is_flag=True,
    help="For what link-time optimisation mixed: the files that declare it, by the ELF's DWARF.",
)
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--output", type=_FILE, help="Write to this file, not to the terminal.")
def show_command(
    *,
    what: str,
    elf: Path,
    map_: Path | None,
    config: Path | None,
    script: Path | None,
    mcu: str | None,
    debug_info: bool,
    format_: str,
    output: Path | None,
    **choice: Any,
) -> int:
    """List regions, sections, objects, archives, symbols or reservations of an image.

    The rows of objects and of archives add up to what the regions hold, padding and gaps
    included. Without a map the regions are those of --config, --linker-script or --mcu, and
    objects are not known.

    \b
      mapinspect show regions --elf fw.elf --map fw.map
      mapinspect show symbols --elf fw.elf --map fw.map --region RAM --top 20
    """  # noqa: D301 - click reads \b as "do not wrap what follows"
    # Options that choose rows are named as the fields of Choice.
    chosen = Choice(**choice)
    _refuse_options(what, chosen, map_, elf, debug_info=debug_info)
    records = _records(elf, map_, config, script, mcu)
    facts = inspect(records)
    faults = list(_faults(what, str(elf), facts))
    listing = _listing(what, records, facts, chosen, debug_info)
    text = renderer(format_)(replace(listing, incomplete=tuple(fault.what for fault in faults)))
    if output is None:
        print_text(text)
    else:
        refuse_same(output, (elf, map_, config, script))
        write_text(output, text)
    for fault in faults:
        report_input_error(fault)
    return EXIT_INPUT if faults else 0


def _refuse_options(
    what: str, choice: Choice, map_: Path | None, elf: Path, *, debug_info: bool
) -> None:
    """Raise what is wrong with options that do not go together."""
    if choice.sort is not None and choice.sort not in SORTS[what]:
        known = ", ".join(SORTS[what])
        raise click.UsageError(f"--sort {choice.sort!r}: {what} sort by {known}")
    if debug_info and (what not in _DECLARED or map_ is None):
        raise click.UsageError("--debug-info: only for objects and symbols, and with --map FILE")
    if map_ is None and what in _OF_THE_MAP:
        raise InputError(str(elf), None, f"does not name its {what}", "give --map FILE too")


def _records(
    elf: Path, map_: Path | None, config: Path | None, script: Path | None, mcu: str | None
) -> Records:
    """Return what the files say; raises InputError for one that cannot be used."""
    table = read_table(config)
    part = mcu or table.part
    return Records(
        table=table,
        elf=read_elf_file(elf),
        link_map=read_link_map(map_) if map_ is not None else None,
        part=read_named_part(part) if part is not None else None,
        script_regions=read_script_regions(script) if script is not None else (),
    )


def _listing(
    what: str, records: Records, facts: Inspection, choice: Choice, debug_info: bool
) -> Listing:
    around, _ = surroundings(records)
    names = [region.name for region in around.regions]
    if choice.region is not None and choice.region not in names:
        known = f"its regions are {', '.join(names)}" if names else "give --map FILE"
        raise InputError(around.image, None, f"has no region {choice.region}", known)
    if what == "regions":
        return listings.regions(facts, choice)
    if what == "sections":
        return listings.sections(around, choice)
    if what == "reservations":
        return listings.reservations(facts, around, choice)
    pieces = pieces_of(records.elf, records.link_map, facts.reservations)
    declared = _declarations(around, pieces) if debug_info else None
    if what == "symbols":
        return owner_listings.symbols(around, pieces, choice, declared)
    if what == "objects":
        return owner_listings.objects(facts, around, pieces, choice, declared)
    return owner_listings.archives(facts, pieces, choice)


def _declarations(around: Surroundings, pieces: Pieces) -> Declarations:
    """Return the declaration files; debugging information that cannot be used has none."""
    from mapinspect.readers.dwarf_declarations import declaration_files  # noqa: PLC0415 - start-up

    wanted = hidden(owned_symbols(around, pieces))
    if around.elf is None or not wanted:
        return Declarations({})
    try:
        return Declarations(declaration_files(around.elf, wanted))
    except InputError as fault:
        return Declarations({}, fault.what)


def _faults(what: str, elf: str, facts: Inspection) -> Iterator[InputError]:
    """Yield why the listing may not be whole, each with its remedy."""
    if what in ("regions", *_OF_THE_MAP) and not facts.regions:
        remedy = "give --map, --linker-script or --mcu, or --config with the regions' addresses"
        yield InputError(elf, None, "no memory regions are known", remedy)
    if what in ("symbols", "reservations") and facts.elf is not None and facts.elf.stripped:
        yield InputError(elf, None, "has no symbols", "keep the ELF as ld wrote it, not stripped")
    if facts.map is None:
        return
    for difference in facts.map.disagreements[:1]:
        what_differs = f"map and ELF are not of the same link: {difference.message}"
        yield InputError(elf, None, what_differs, "name the map and the ELF of one link")
    for fault in facts.map.unconserved[:1]:
        text = f"the rows of {fault.section} add up to {fault.found}, not {fault.expected} bytes"
        yield InputError(facts.map.path, fault.evidence.line, text, "link again for a fresh map")


def renderer(format_: str) -> Callable[[Listing], str]:
    """Return the function that writes a listing in one of FORMATS."""
    if format_ == "json":
        from mapinspect.reports.show_json import render as as_json  # noqa: PLC0415 - start-up time

        return as_json
    if format_ == "csv":
        from mapinspect.reports.show_csv import render as as_csv  # noqa: PLC0415 - start-up time

        return as_csv
    from mapinspect.reports.show_text import render as as_text  # noqa: PLC0415 - start-up time

    return as_text
