"""Minimal maps that broke other tools; each has its right answer in a note beside it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mapinspect.errors import InputError
from mapinspect.model.link_map import LinkMap
from mapinspect.readers.gnu_map import read_map
from tests.readers.shared_maps import each_map

pytestmark = pytest.mark.corpus

OTHER_LINKERS = {"armlink", "lld", "unsupported"}


def answer(path: Path) -> dict[str, Any]:
    note = path.with_suffix(".md").read_text(encoding="utf-8")
    found = re.search(r"```json\n(.*)\n```", note, re.DOTALL)
    assert found is not None
    right: dict[str, Any] = json.loads(found[1])
    return right


@each_map("corpus/cases/*.map")
def test_the_right_answer_is_given(path: Path) -> None:
    right = answer(path)
    if right.get("dialect") in OTHER_LINKERS:
        with pytest.raises(InputError, match=r"not of GNU ld|listing of nm"):
            read_map(str(path), path.read_bytes())
        return
    link_map = read_map(str(path), path.read_bytes())
    assert link_map.unknown == ()
    told = {key: CHECKS[key](link_map, value) for key, value in right.items() if key in CHECKS}
    assert told == {key: value for key, value in right.items() if key in CHECKS}


def sections(link_map: LinkMap, wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for row in wanted:
        section = next(s for s in link_map.sections if s.name == row["name"] and s.size is not None)
        told = {"name": section.name, "addr": hex(section.vma or 0), "size": section.size}
        if "lma" in row:
            told["lma"] = hex(section.lma or 0)
        found.append(told)
    return found


def totals(link_map: LinkMap, by_archive: bool) -> dict[str, int]:
    sums: dict[str, int] = {}
    for section in link_map.sections:
        for row in link_map.inputs.of_section(section.ordinal):
            path = row.owner.archive if by_archive else row.owner.path
            if path is not None:
                name = re.split(r"[\\/]", path)[-1]
                sums[name] = sums.get(name, 0) + row.occupied
    return sums


def some_objects(link_map: LinkMap, wanted: dict[str, Any]) -> dict[str, Any]:
    sums = totals(link_map, by_archive=False)
    told: dict[str, Any] = {}
    for name, size in wanted.items():
        told[name] = sums[name]
        if isinstance(size, dict):  # told per region: their sum is ours
            told[name] = size if sum(size.values()) == sums[name] else sums[name]
    return told


def some_archives(link_map: LinkMap, wanted: dict[str, int]) -> dict[str, int]:
    sums = totals(link_map, by_archive=True)
    return {name: sums[name] for name in wanted}


def members(link_map: LinkMap, wanted: list[Any]) -> list[Any]:
    if not wanted or "archive" not in wanted[0]:
        return wanted if not wanted and not len(link_map.inputs) else []
    rows = [link_map.inputs[ordinal] for ordinal in range(len(link_map.inputs))]
    return [
        {"archive": r.owner.archive, "member": r.owner.path, "size": r.size}
        for r in rows
        if r.size and r.owner.archive
    ]


def inputs_of(link_map: LinkMap, wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = [link_map.inputs[ordinal] for ordinal in range(len(link_map.inputs))]
    return [
        {
            "section": link_map.sections[r.section].name,
            "size": r.size,
            "archive_basename": (r.owner.archive or "").rpartition("/")[2],
            "member": r.owner.path,
        }
        for r in rows
        if link_map.sections[r.section].name == wanted[0]["section"]
    ]


CHECKS = {
    "sections": sections,
    "object_total": some_objects,
    "archive_total": some_archives,
    "objects": lambda m, v: members(m, v) if isinstance(v, list) else some_objects(m, v),
    "inputs": inputs_of,
    "regions": lambda m, _: [r.name for r in m.regions],
    "fill_sum": lambda m, _: sum(f.size for f in m.fills),
    "inputs_sum": lambda m, _: sum(m.inputs[i].size for i in range(len(m.inputs))),
    "discarded_sum": lambda m, _: sum(d.size for d in m.discarded),
    "empty": lambda m, _: [s.name for s in m.sections if s.size is None],
    "object": lambda m, _: m.inputs[0].owner.path,
    "object_count": lambda m, _: len({m.inputs[i].owner for i in range(len(m.inputs))}),
    "symbols": lambda m, _: {s.name: hex(s.address) for s in m.symbols},
    "symbols_absent": lambda m, v: [n for n in v if n not in {s.name for s in m.symbols}],
    "input_count": lambda m, v: {
        name: sum(len(list(m.inputs.of_section(s.ordinal))) for s in m.sections if s.name == name)
        for name in v
    },
}
