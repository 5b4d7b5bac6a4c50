"""``mapinspect show``: what is in an image, as tables."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from mapinspect.analysis import listings, owner_listings
from mapinspect.analysis.inspect import Records, inspect, surroundings
from mapinspect.analysis.listings import SORTS
from mapinspect.analysis.owners import pieces_of
from mapinspect.cli.outputs import write_text
from mapinspect.cli.run import EXIT_INPUT, report_input_error
from mapinspect.cli.sources import read_elf_file, read_link_map, read_table, refuse_same
from mapinspect.errors import InputError
from mapinspect.model.inspection import Inspection
from mapinspect.model.listing import Choice, Listing

FORMATS: Final = ("text", "json", "csv")
_FILE = click.Path(path_type=Path)
_OF_THE_MAP = ("objects", "archives")


@click.command("show", epilog="Exit status: 0 complete, 2 incomplete or unreadable, 3 a bug.")
@click.argument("what", type=click.Choice(tuple(SORTS)))
@click.option("--elf", type=_FILE, required=True, help="The linked ELF file.")
@click.option("--map", "map_", type=_FILE, help="The GNU ld map of the same link (-Wl,-Map=F).")
@click.option("--config", type=_FILE, help="A budget table that gives the regions' addresses.")
@click.option("--region", metavar="R", help="Only what lies in this region.")
@click.option("--sort", metavar="K", help="size (largest first), address or name.")
@click.option("--top", metavar="N", type=click.IntRange(min=1), help="Only the first N rows.")
@click.option("--filter", "glob", metavar="GLOB", help="Only rows whose name matches.")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--output", type=_FILE, help="Write to this file, not to the terminal.")
def show_command(
    *,
    what: str,
    elf: Path,
    map_: Path | None,
    config: Path | None,
    region: str | None,
    sort: str | None,
    top: int | None,
    glob: str | None,
    format_: str,
    output: Path | None,
) -> int:
    """List regions, sections, objects, archives, symbols or reservations of an image.

    The rows of objects and of archives add up to what the regions hold, padding and gaps
    included. Without a map the regions are those of --config, and objects are not known.

    \b
      mapinspect show regions --elf fw.elf --map fw.map
      mapinspect show symbols --elf fw.elf --map fw.map --region RAM --top 20
    """  # noqa: D301 - click reads \b as "do not wrap what follows"
    if sort is not None and sort not in SORTS[what]:
        raise click.UsageError(f"--sort {sort!r}: {what} sort by {', '.join(SORTS[what])}")
    records = _records(what, elf, map_, config)
    listing = _listing(what, records, Choice(region, glob, sort, top))
    text = renderer(format_)(listing)
    if output is None:
        click.echo(text, nl=False)
    else:
        refuse_same(output, (elf, map_, config))
        write_text(output, text)
    for reason in listing.incomplete:
        report_input_error(InputError(str(elf), None, f"incomplete: {reason}", _REMEDY))
    return EXIT_INPUT if listing.incomplete else 0


_REMEDY = "name the map and the ELF of one link"


def _records(what: str, elf: Path, map_: Path | None, config: Path | None) -> Records:
    if map_ is None and what in _OF_THE_MAP:
        raise InputError(str(elf), None, f"does not name its {what}", "give --map FILE too")
    return Records(
        table=read_table(config),
        elf=read_elf_file(elf),
        link_map=read_link_map(map_) if map_ is not None else None,
    )


def _listing(what: str, records: Records, choice: Choice) -> Listing:
    facts = inspect(records)
    around, _ = surroundings(records)
    names = [region.name for region in around.regions]
    if choice.region is not None and choice.region not in names:
        known = f"its regions are {', '.join(names)}" if names else "give --map FILE"
        raise InputError(around.image, None, f"has no region {choice.region}", known)
    if what == "regions":
        listing = listings.regions(facts, choice)
    elif what == "sections":
        listing = listings.sections(around, choice)
    elif what == "reservations":
        listing = listings.reservations(facts, around, choice)
    else:
        pieces = pieces_of(records.elf, records.link_map, facts.reservations)
        if what == "objects":
            listing = owner_listings.objects(facts, pieces, choice)
        elif what == "archives":
            listing = owner_listings.archives(facts, pieces, choice)
        else:
            listing = owner_listings.symbols(around, pieces, choice)
    reasons = tuple(_incomplete(what, facts))
    return Listing(listing.noun, listing.columns, listing.rows, listing.notes, reasons)


def _incomplete(what: str, facts: Inspection) -> list[str]:
    reasons = []
    if what in ("regions", *_OF_THE_MAP) and not facts.regions:
        reasons.append("no memory regions are known")
    if what in ("symbols", "reservations") and facts.elf is not None and facts.elf.stripped:
        reasons.append("it has no symbols")
    if facts.map is not None:
        if facts.map.disagreements:
            first = facts.map.disagreements[0].message
            reasons.append(f"map and ELF are not of the same link ({first})")
        if facts.map.unconserved:
            first = facts.map.unconserved[0].section
            reasons.append(f"the map's rows do not add up ({first})")
    return reasons


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
