"""What regions hold in public firmware, from sections that another program read off the ELF."""

import json
from pathlib import Path
from typing import Any

import pytest

from mapinspect.analysis.placement import account
from mapinspect.analysis.regions import map_regions
from mapinspect.analysis.usage import usages
from mapinspect.errors import InputError
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import PlacedSection
from mapinspect.readers.gnu_map import read_map

pytestmark = pytest.mark.corpus

SHARED = Path(__file__).resolve().parents[3] / "shared" / "corpus"
TRUTHS = sorted(str(path.relative_to(SHARED)) for path in SHARED.glob("*gnuld*/*.elf_truth.json"))
# The truth counts no section past the region's end; ld placed four there, one behind the other.
OVERFLOWING = "local-gnuld/local__arm_region_overflow.elf_truth.json"


def section(stated: dict[str, Any]) -> PlacedSection:
    vma = stated["addr"]
    return PlacedSection(
        ordinal=stated["i"],
        name=stated["name"],
        size=stated["size"],
        vma=vma,
        lma=vma if stated["lma"] is None else stated["lma"],
        alignment=stated["align"],
        has_contents=stated["type"] != "NOBITS",
        writable="W" in stated["flags"],
        executable="X" in stated["flags"],
        evidence=Evidence("app.elf", None, stated["name"]),
    )


@pytest.mark.parametrize("name", TRUTHS)
def test_extent_and_bytes_are_the_stated_ones(name: str, shared: Path) -> None:
    path = shared / "corpus" / name
    truth = json.loads(path.read_text())
    printed = path.with_name(path.name.replace(".elf_truth.json", ".map"))
    try:
        regions = map_regions(read_map(printed.name, printed.read_bytes()), 32)
    except InputError as error:
        pytest.skip(f"not read: {error.what}")
    placed = [
        section(stated)
        for stated in truth["sections"]
        if stated["type"] != "NOBITS" or "T" not in stated["flags"]
    ]
    found = {usage.region.name: usage for usage in usages(account(placed, regions), regions)}
    for region, stated in (truth.get("region_usage") or {}).items():
        usage = found[region]
        if name == OVERFLOWING and region == "RAM":
            assert usage.used == 9840 > stated["span_end_minus_origin"]
            continue
        assert usage.used == stated["span_end_minus_origin"], region
        assert (usage.explained, usage.otherwise) == ((), None), region
        held = sum(item.span.size for item in usage.placements)
        assert held == stated["sum_bytes"], region
