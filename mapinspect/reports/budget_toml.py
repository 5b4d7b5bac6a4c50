"""A proposed budget table as TOML with comments: what `mapinspect init` writes."""

from textwrap import wrap

import tomlkit
from tomlkit.items import InlineTable, Item, Table

from mapinspect.model.proposal import Entry, Proposal, ProposedRow, Value
from mapinspect.reports.printable import printable

_HEAD = """\
The memory budget of this firmware, made by `mapinspect init` from one linked image:
today's use with room to grow, and the recommended place of everything. Read it and change it.
Sizes: plain bytes; K and M mean 1024. `mapinspect config show` prints every limit in bytes,
`mapinspect explain ID` says what a check is about."""
_COMMENT_WIDTH = 600  # characters; longer ones are names, which are cut
_LINE_WIDTH = 96  # characters, without the "# " of a comment that stands alone


def render(proposal: Proposal) -> str:
    """Return the table's text; names from the image stand in it as valid TOML."""
    document = tomlkit.document()
    for line in _HEAD.split("\n"):
        document.add(tomlkit.comment(line))
    _list(document, "Wrong today; the table fails on it until it is mended:", proposal.defects)
    _list(document, "Open, for you to answer:", proposal.open_questions)
    document.add(tomlkit.nl())
    document.add("version", tomlkit.item(1))
    document.add("project", _table(proposal.project))
    inputs = _table(proposal.inputs)
    if proposal.models:
        for model in proposal.models:
            _comments(inputs, model.above)
        inputs.add("models", _models(proposal.models))
    document.add("inputs", inputs)
    for name in ("region", "budget", "placement"):
        rows: tuple[ProposedRow, ...] = getattr(proposal, f"{name}s")
        if rows:
            array = tomlkit.aot()
            for row in rows:
                array.append(_table(row))
            document.add(name, array)
    return tomlkit.dumps(document)


def _list(document: tomlkit.TOMLDocument, title: str, lines: tuple[str, ...]) -> None:
    if not lines:
        return
    document.add(tomlkit.comment(""))
    document.add(tomlkit.comment(title))
    for line in lines:
        for part in _wrapped(line, "- ", "  "):
            document.add(tomlkit.comment(part))


def _comments(table: Table, lines: tuple[str, ...]) -> None:
    for line in lines:
        for part in _wrapped(line):
            table.add(tomlkit.comment(part))


def _wrapped(line: str, first: str = "", others: str = "") -> list[str]:
    """Return a comment as lines that fit a screen; names are never broken."""
    return wrap(
        printable(line, _COMMENT_WIDTH),
        _LINE_WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _table(row: ProposedRow) -> Table:
    table = tomlkit.table()
    _comments(table, row.above)
    for entry in row.entries:
        if entry.off:
            value = _value(entry).as_string()
            line = f"{entry.key} = {value} # {printable(entry.comment, _COMMENT_WIDTH)}"
            table.add(tomlkit.comment(line))
            continue
        item = _value(entry)
        if entry.comment:
            item.comment(printable(entry.comment, _COMMENT_WIDTH))
        table.add(entry.key, item)
    return table


def _models(models: tuple[ProposedRow, ...]) -> Item:
    array = tomlkit.array()
    for model in models:
        array.append(_inline({entry.key: entry.value for entry in model.entries}))
    return array.multiline(multiline=True)


def _inline(values: dict[str, Value]) -> InlineTable:
    table = tomlkit.inline_table()
    for key, value in values.items():
        table.add(key, tomlkit.item(value))
    return table


def _value(entry: Entry) -> Item:
    value = entry.value
    if isinstance(value, dict):
        return _inline(dict(value))
    if isinstance(value, tuple):
        return tomlkit.item(list(value))
    if entry.hexadecimal and isinstance(value, int):
        return tomlkit.value(f"{value:#010x}")
    return tomlkit.item(value)
