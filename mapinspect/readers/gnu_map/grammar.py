"""The grammar of a map, compiled: its terminals and the parse tables that lark makes of it.

``grammars/gnu_ld.lark`` is the only place where map text is described. lark turns it into LALR
tables; those are shipped as JSON (``grammars/gnu_ld.json``) because importing lark and compiling
takes several times as long as reading a small map. The tables name the grammar text and the lark
version they were made with; where either differs, lark compiles anew.
"""

import hashlib
import json
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

from mapinspect import resources

GRAMMAR_FILE = "gnu_ld.lark"
TABLES_FILE = "gnu_ld.json"
STARTS = ("start", "line")
END = "$END"  # lark's name for the end of the input


class Grammar:
    """Terminals and LALR tables.

    ``terminals`` maps names to (priority, pattern). ``states`` maps, per state, a symbol to an
    action: n >= 0 goes to state n, n < 0 reduces rule -1 - n. ``rules`` holds, per rule, the
    symbol it makes and how many symbols it takes. ``first`` and ``last`` are the states in which
    a parse of ``start`` begins and ends.
    """

    def __init__(self, tables: dict[str, Any]) -> None:
        self.terminals: dict[str, tuple[int, str]] = {
            name: (priority, text) for name, priority, text in tables["terminals"]
        }
        self.states: list[dict[str, int]] = tables["states"]
        self.rules: list[tuple[str, int]] = tables["rules"]
        self.first: int = tables["first"]
        self.last: int = tables["last"]
        self._scanners: dict[frozenset[str], re.Pattern[bytes]] = {}
        self._compiled: dict[str, re.Pattern[bytes]] = {}
        self._accepts: dict[int, frozenset[str]] = {}
        self._not_terminals = {name for name, _ in self.rules} | {END}

    def pattern(self, terminal: str, at_line_start: bool = False) -> re.Pattern[bytes]:
        """Return the compiled pattern of one terminal; names are looked at as bytes."""
        key = ("^" if at_line_start else "") + terminal
        if key not in self._compiled:
            text = self.terminals[terminal][1].encode("latin-1")
            self._compiled[key] = re.compile(b"(?m)^(?:%b)" % text if at_line_start else text)
        return self._compiled[key]

    def scanner(self, terminals: frozenset[str]) -> re.Pattern[bytes]:
        """Return one pattern for several terminals; ``lastgroup`` names the one that matched."""
        if terminals not in self._scanners:
            self._scanners[terminals] = re.compile(self._alternatives(terminals))
        return self._scanners[terminals]

    def accepted_around(self, terminal: str) -> frozenset[str]:
        """Return every terminal that some state accepts in the place of ``terminal``'s block."""
        around = [set(state) for state in self.states if terminal in state]
        return frozenset().union(*around) - self._not_terminals

    def accepts(self, state: int) -> frozenset[str]:
        """Return the terminals that may come next in a state."""
        found = self._accepts.get(state)
        if found is None:
            found = self._accepts[state] = frozenset(
                self.states[state].keys() - self._not_terminals
            )
        return found

    def line_pattern(self, *terminals: str) -> re.Pattern[bytes]:
        """Return one pattern for several terminals that begins at the start of a line."""
        return re.compile(b"(?m)^(?:%b)" % self._alternatives(frozenset(terminals)))

    def _alternatives(self, terminals: frozenset[str]) -> bytes:
        ordered = sorted(terminals, key=lambda name: (-self.terminals[name][0], name))
        text = "|".join(f"(?P<{name}>{self.terminals[name][1]})" for name in ordered)
        return text.encode("latin-1")


@lru_cache(maxsize=1)
def gnu_ld() -> Grammar:
    """Return the grammar, from the shipped tables if they are of this grammar and this lark."""
    shipped = resources.folder("grammars") / TABLES_FILE
    if shipped.is_file():
        tables = json.loads(shipped.read_bytes())
        if tables["made_of"] == _made_of():
            return Grammar(tables)
    return Grammar(compile_tables())


def compile_tables() -> dict[str, Any]:
    """Have lark compile the grammar; return terminals and tables as JSON values."""
    from lark import Lark  # noqa: PLC0415  # several times the time of reading a small map
    from lark.grammar import Rule  # noqa: PLC0415
    from lark.lexer import TerminalDef  # noqa: PLC0415

    text = resources.text("grammars", GRAMMAR_FILE)
    lark = Lark(text, parser="lalr", lexer="contextual", start=list(STARTS))
    described, memo = lark.memo_serialize([TerminalDef, Rule])
    table = described["parser"]["parser"]
    rules = [memo[rule["@"]] for rule in described["rules"]]
    numbers = {rule["@"]: number for number, rule in enumerate(described["rules"])}
    states = _states(table, numbers)
    renumbered = _numbers_from(table["start_states"]["start"], states)
    return {
        "made_of": _made_of(),
        "terminals": sorted(_terminal(terminal) for terminal in lark.terminals),
        "rules": [[rule["origin"]["name"], len(rule["expansion"])] for rule in rules],
        "states": [
            {symbol: renumbered.get(action, action) for symbol, action in states[old].items()}
            for old in renumbered
        ],
        "first": renumbered[table["start_states"]["start"]],
        "last": renumbered[table["end_states"]["start"]],
    }


def _states(table: dict[str, Any], rule_numbers: dict[int, int]) -> list[dict[str, int]]:
    symbols = table["tokens"]
    states: list[dict[str, int]] = [{} for _ in table["states"]]
    for state, actions in table["states"].items():
        for symbol, (reduces, target) in actions.items():
            action = -1 - rule_numbers[target["@"]] if reduces else target
            states[state][symbols[symbol]] = action
    return states


def _numbers_from(first: int, states: list[dict[str, int]]) -> dict[int, int]:
    """Return a new number for each state that ``first`` leads to: lark's differ run by run."""
    numbers = {first: 0}
    found = [first]
    for state in found:
        for _, action in sorted(states[state].items()):
            if action >= 0 and action not in numbers:
                numbers[action] = len(numbers)
                found.append(action)
    return numbers


def _terminal(terminal: Any) -> list[Any]:
    """Return name, priority and pattern; what lark composed gives nothing back to backtracking.

    lark joins terminals with plain ``(...)*``, ``+`` and ``?``. No line of a map can be claimed by
    two parts of such a sequence, so the possessive form matches the same and is faster.
    """
    text = terminal.pattern.to_regexp()
    if terminal.pattern.raw is None:
        text = re.sub(r"(?<!\\)\)([*+?])(?![+?])", r")\1+", text)
    return [terminal.name, terminal.priority, text]


def _made_of() -> dict[str, str]:
    grammar = (resources.folder("grammars") / GRAMMAR_FILE).read_bytes()
    return {"grammar": hashlib.sha256(grammar).hexdigest(), "lark": _lark_version()}


def _lark_version() -> str:
    """Return the version of the lark that is installed, without importing it."""
    for finder in sys.meta_path:  # what importlib.util.find_spec does, without its imports
        spec = finder.find_spec("lark", None)
        if spec is not None and spec.origin is not None:
            break
    else:
        return "none"
    found = re.search(r'__version__[^=]*= "([^"]+)"', Path(spec.origin).read_text("utf-8"))
    return found[1] if found else "unknown"
