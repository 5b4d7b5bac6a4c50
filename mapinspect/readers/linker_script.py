"""Read the ``MEMORY`` blocks of a GNU linker script, by ``grammars/ld_memory.lark``.

As ld does it, all assignments outside sections are computed first, in order; then the regions,
in order. What only the linker can know is refused where a region needs it, and ignored where
none does (``_estack = ORIGIN(RAM) + LENGTH(RAM);``).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lark import Token, Tree

from mapinspect.errors import InputError
from mapinspect.model.image import Evidence, Region, Span
from mapinspect.model.linker_script import LinkerScript, RegionAlias
from mapinspect.readers.linker_expression import ExpressionError, Node, evaluate, unquoted
from mapinspect.readers.linker_grammar import ScriptSyntaxError, parse
from mapinspect.readers.linker_grounds import Grounds
from mapinspect.readers.linker_preprocessor import Preprocessor, predefined
from mapinspect.readers.linker_sources import (
    Include,
    SourceLine,
    Sources,
    include_beside,
    refuse_include,
)

__all__ = ["Include", "include_beside", "read_memory"]

_LETTERS = "axrwl"  # the order in which ld prints attributes; i is another l
_ADDRESS_END = 1 << 64


def read_memory(
    path: str,
    text: bytes,
    include: Include = refuse_include,
    symbols: Mapping[str, int] | None = None,
) -> LinkerScript:
    """Read the regions and aliases of a linker script.

    ``include`` opens the files it names (``include_beside`` is the usual one); ``symbols`` are
    values given on command lines (``--defsym``, ``-D``). Raises InputError, with the line, for
    text that is no linker script, names without a value, regions that cannot be, a script
    without ``MEMORY``, and anything beyond the limits on size, depth and files.
    """
    reading = _Reading(path, Sources(include), predefined(symbols or {}))
    reading.values.update(symbols or {})
    reading.statements(reading.sources.lines(path, text), 0)
    return reading.result()


@dataclass(frozen=True, slots=True)
class _Declared:
    """A region or alias as parsed, with its place."""

    tree: Tree[Token]
    evidence: Evidence


@dataclass(slots=True)
class _Reading:
    """What is known while one script is read."""

    path: str
    sources: Sources
    macros: dict[str, str | None]
    values: dict[str, int | ExpressionError] = field(default_factory=dict)
    grounds: dict[str, Grounds] = field(default_factory=dict)
    told: set[Grounds] = field(default_factory=set)  # grounds whose assumptions are recorded
    declared: list[_Declared] = field(default_factory=list)
    assumptions: list[Evidence] = field(default_factory=list)
    regions: dict[str, Region] = field(default_factory=dict)
    aliases: dict[str, RegionAlias] = field(default_factory=dict)
    preprocessor: Preprocessor = field(init=False)

    def __post_init__(self) -> None:
        self.preprocessor = Preprocessor(self.sources, self.assumptions, self.macros)

    def statements(self, lines: list[SourceLine], depth: int, start: str = "script") -> None:
        """Take in the statements of one file, and of those it includes."""
        rows = self.preprocessor.apply(lines)
        for tree in _parsed(rows, start, lines[0].file).children:
            assert isinstance(tree, Tree)
            place = rows[_line(tree) - 1]
            if tree.data == "memory":
                for entry in tree.children:
                    assert isinstance(entry, Tree)
                    self.entry(entry, rows[_line(entry) - 1], depth)
            elif tree.data in ("assignment", "provided"):
                self.assign(tree, place)
            else:
                self.entry(tree, place, depth, start)

    def entry(
        self, tree: Tree[Token], place: SourceLine, depth: int, start: str = "regions"
    ) -> None:
        """Take in a region, an alias or an inclusion."""
        if tree.data != "include":
            self.declared.append(_Declared(tree, place.evidence()))
            return
        name = unquoted(tree.children[0])
        self.statements(self.sources.included(place.evidence(), name, depth), depth + 1, start)

    def assign(self, tree: Tree[Token], place: SourceLine) -> None:
        """Compute a symbol; a fault is kept until a region needs the symbol."""
        first, second, value = tree.children
        provided = tree.data == "provided"
        name = unquoted(second if provided else first)
        if provided and str(first) != "HIDDEN" and name in self.values:
            return
        if not provided and str(second) != "=":  # x += 4 means x = x + 4
            old = Tree("name", [Token("NAME", name)])
            value = Tree("chain", [old, Token("SIGN", str(second)[:-1]), value])
        names = _Names(self, place.evidence(), regions_known=False)
        try:
            self.values[name] = evaluate(value, names)
        except ExpressionError as fault:
            self.values[name] = fault
        self.grounds[name] = names.grounds

    def result(self) -> LinkerScript:
        """Compute the regions in order and return the record."""
        for declared in self.declared:
            if declared.tree.data == "region":
                region = self.region(declared)
                self.regions[region.name] = region
            else:
                alias = self.alias(declared)
                self.aliases[alias.name] = alias
        if not self.regions:
            raise InputError(
                self.path,
                None,
                "declares no memory region",
                "give the script that has the MEMORY block",
            )
        return LinkerScript(
            self.path,
            tuple(self.regions.values()),
            tuple(self.aliases.values()),
            tuple(self.sources.files),
            tuple(dict.fromkeys(self.assumptions)),
        )

    def region(self, declared: _Declared) -> Region:
        """Return one region; raises InputError when it has no proper extent."""
        named, letters, origin, length = declared.tree.children
        assert isinstance(named, Tree)
        name, place = unquoted(named.children[0]), declared.evidence
        self.check_new(name, place)
        start = self.figure(origin, f"ORIGIN of {name}", place)
        size = self.figure(length, f"LENGTH of {name}", place)
        if start + size > _ADDRESS_END:
            raise _refusal(place, f"region {name} ends beyond 64 bits", "correct its LENGTH")
        return Region(name, Span(start, size), _attributes(letters, place), place)

    def alias(self, declared: _Declared) -> RegionAlias:
        """Return one alias, of the region behind any other alias; raises InputError."""
        name, target = (unquoted(child) for child in declared.tree.children)
        self.check_new(name, declared.evidence)
        own = self.aliases[target].region if target in self.aliases else target
        if own not in self.regions:
            raise _refusal(
                declared.evidence,
                f"alias {name} is for {target}, which is declared nowhere above",
                "declare the region first",
            )
        return RegionAlias(name, own, declared.evidence)

    def check_new(self, name: str, place: Evidence) -> None:
        """Raise InputError when a region or alias of this name exists."""
        before = self.regions.get(name) or self.aliases.get(name)
        if before is not None:
            raise _refusal(
                place,
                f"{name} is declared again, first at {before.declared.file}:{before.declared.line}",
                "keep one of them",
            )

    def figure(self, expression: Node, subject: str, place: Evidence) -> int:
        """Return an origin or a length in bytes; raises InputError with the reason."""
        names = _Names(self, place, regions_known=True)
        try:
            value = evaluate(expression, names)
        except ExpressionError as fault:
            raise _refusal(place, f"{subject} has no value: {fault.what}", fault.remedy) from None
        self.assumptions += names.grounds.collect(self.told)
        return value


class _Names:
    """What names stand for in an assignment, or (``regions_known``) in a region.

    ``grounds`` collects the assumptions that the values asked for rest on.
    """

    def __init__(self, reading: _Reading, place: Evidence, *, regions_known: bool) -> None:
        self._reading = reading
        self._place = place
        self._regions_known = regions_known
        self.grounds = Grounds()

    def value(self, name: str) -> int:
        """Return a name's value; raise ExpressionError where nothing above gives one."""
        if name == ".":
            raise ExpressionError("only the linker knows .", "write the figure")
        value = self._reading.values.get(name)
        if value is None:
            raise ExpressionError(
                f"{name} is defined nowhere above", "define it before use, or give the map"
            )
        if isinstance(value, ExpressionError):
            what = f"{name} is not known ({value.cause})"
            raise ExpressionError(what, value.remedy, value.cause)
        if name in self._reading.grounds:
            self.grounds.used.append(self._reading.grounds[name])
        return value

    def defined(self, name: str) -> bool:
        """Return whether a name has a value here, and record a no that the build could change."""
        if name not in self._reading.values:
            said = replace(self._place, text=f"{name} is taken as not defined")
            self.grounds.own.append(said)
        return name in self._reading.values

    def region(self, name: str) -> Span:
        """Return a region's span; raise ExpressionError where it is not known yet."""
        if not self._regions_known:
            # ld computes assignments before regions: what it puts here depends on its version.
            raise ExpressionError(
                f"region {name} has no extent yet", "write ORIGIN and LENGTH into the region"
            )
        alias = self._reading.aliases.get(name)
        region = self._reading.regions.get(alias.region if alias else name)
        if region is None:
            raise ExpressionError(f"region {name} is declared nowhere above", "declare it first")
        return region.span


def _parsed(rows: list[SourceLine], start: str, file: str) -> Tree[Token]:
    try:
        return parse("\n".join(row.text for row in rows), start)
    except ScriptSyntaxError as fault:
        if fault.line is None or fault.line > len(rows):
            raise InputError(file, None, fault.what, fault.remedy) from None
        row = rows[fault.line - 1]
        raise InputError(row.file, row.line, fault.what, fault.remedy) from None


def _line(tree: Tree[Token]) -> int:
    """Return the line of a statement's first word, 1-based in the parsed text."""
    for token in tree.scan_values(lambda value: isinstance(value, Token)):
        assert token.line is not None
        return token.line
    return 1


def _attributes(letters: Node | None, place: Evidence) -> str:
    """Return a region's attributes as ld prints them: ``xr``, ``rw!x``."""
    if letters is None:
        return ""
    allowed, _, barred = str(letters)[1:-1].lower().replace("i", "l").partition("!")
    for letter in allowed + barred:
        if letter not in _LETTERS and letter != "!" and not letter.isspace():
            raise _refusal(
                place, f"{letter!r} is no attribute of memory", "use r, w, x, a, i, l, !"
            )
    shown = "".join(letter for letter in _LETTERS if letter in allowed)
    kept_out = "".join(letter for letter in _LETTERS if letter in barred)
    return f"{shown}!{kept_out}" if kept_out else shown


def _refusal(place: Evidence, what: str, remedy: str) -> InputError:
    return InputError(place.file, place.line, what, remedy)
