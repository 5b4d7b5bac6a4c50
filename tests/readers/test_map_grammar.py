"""The grammar itself: lark reads maps with it too, its samples are real, its tables are fresh."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from lark import Lark, Token

from mapinspect import resources
from mapinspect.readers.gnu_map.grammar import (
    STARTS,
    TABLES_FILE,
    compile_tables,
    gnu_ld,
)
from mapinspect.readers.gnu_map.plain_text import plain_text
from mapinspect.readers.gnu_map.scan import Scan
from tests.readers.shared_maps import each_map

GRAMMAR = resources.text("grammars", "gnu_ld.lark")
FIXTURES = Path(__file__).parents[2] / "fixtures" / "link_cases"


@cache
def plain_lark() -> Lark:
    return Lark(GRAMMAR, parser="lalr", lexer="contextual", start=list(STARTS))


def test_the_shipped_tables_are_those_of_the_grammar() -> None:
    shipped = json.loads((resources.folder("grammars") / TABLES_FILE).read_bytes())
    made = compile_tables()
    if shipped["made_of"]["lark"] != made["made_of"]["lark"]:
        pytest.skip("another lark is installed: tables are compiled at every start")
    assert shipped == made, "run python -m mapinspect.readers.gnu_map"


def test_tables_of_another_lark_are_compiled_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tables = json.loads((resources.folder("grammars") / TABLES_FILE).read_bytes())
    tables["made_of"]["lark"] = "0.0"
    tables["terminals"] = []
    (tmp_path / TABLES_FILE).write_text(json.dumps(tables))
    (tmp_path / "gnu_ld.lark").write_text(GRAMMAR)
    monkeypatch.setattr(resources, "folder", lambda _: tmp_path)
    made = compile_tables()
    grammar = gnu_ld.__wrapped__()
    assert (grammar.states, grammar.rules) == (made["states"], made["rules"])
    assert set(grammar.terminals) == {name for name, _, _ in made["terminals"]}


def terminals_with_comments() -> Iterator[tuple[str, list[str]]]:
    """Each terminal of the grammar file, with the comment lines right above it."""
    comment: list[str] = []
    for line in GRAMMAR.split("\n"):
        if line.startswith("//"):
            comment.append(line.removeprefix("//").removeprefix(" "))
        elif found := re.match(r"([A-Z_0-9]+)(?:\.-?\d+)?:", line):
            yield found[1], comment
        elif not line.startswith(" "):
            comment = []


SAMPLED = [(name, lines) for name, lines in terminals_with_comments() if not name.startswith("_")]
SHAPELESS = {"BLANK", "UNKNOWN", "TOO_LARGE_NUMBER"}


@pytest.mark.parametrize(("name", "lines"), SAMPLED, ids=[name for name, _ in SAMPLED])
def test_a_real_sample_stands_above_each_terminal(name: str, lines: list[str]) -> None:
    if name in SHAPELESS or name not in gnu_ld().terminals:  # a part of others
        return
    pattern = gnu_ld().pattern(name)
    runs = [
        "\n".join(lines[first:last])
        for first in range(len(lines))
        for last in range(first + 1, len(lines) + 1)
    ]
    # Two newlines in front: some terminals stand after a blank line.
    texts = [b"\n\n" + run.encode() + b"\n" for run in runs]
    assert any((m := pattern.match(text, 2)) and m[0].endswith(b"\n") for text in texts)


def by_lark(text: bytes) -> tuple[list[tuple[str, int, int]], int]:
    """What lark's own lexer and parser make of a map: the tokens, and how many rows."""
    tree = plain_lark().parse(text.decode("latin-1"), start="start")
    tokens = sorted(tree.scan_values(lambda value: isinstance(value, Token)), key=token_start)
    rows = sum(token.type in ("ROW", "ANY_ROW") for token in tokens)
    return [
        (token.type, token.start_pos, token.end_pos)
        for token in tokens
        if token.type not in ("ROW", "ANY_ROW")
    ], rows


def token_start(token: Token) -> int:
    assert token.start_pos is not None
    return token.start_pos


def by_scan(text: bytes) -> tuple[list[tuple[str, int, int]], int]:
    scan = Scan(text, gnu_ld())
    scan.run()
    assert scan.whole
    return [(t.terminal, t.start, t.end) for t in scan.tokens], len(scan.columns)


WHOLE = [path for path in sorted(FIXTURES.rglob("*.map")) if b"\n*default*" in path.read_bytes()]


@pytest.mark.parametrize("path", WHOLE, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_lark_alone_reads_the_fixtures_alike(path: Path) -> None:
    text = plain_text(str(path), path.read_bytes())
    assert by_scan(text) == by_lark(text)


@pytest.mark.corpus
@each_map("link_cases/*/case.map", "link_cases/*/variants/2.47*/case.map", "corpus/gnuld-arm/*.map")
def test_lark_alone_reads_the_shared_maps_alike(path: Path) -> None:
    content = path.read_bytes()
    if b"\n*default*" not in content or len(content) > 400_000:
        pytest.skip("no whole map, or too long for lark's own lexer")
    text = plain_text(str(path), content)
    assert by_scan(text) == by_lark(text)
