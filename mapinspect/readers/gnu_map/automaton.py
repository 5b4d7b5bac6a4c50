"""The automaton that walks the tables: which terminal may come next, and is this one allowed."""

from mapinspect.readers.gnu_map.grammar import END, Grammar


class Automaton:
    """An LALR(1) parse of ``start``, fed one terminal at a time.

    It proves that the blocks of a map come in the order of the grammar. Values are not its
    business: whoever feeds it keeps the tokens.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._states = grammar.states
        self._rules = grammar.rules
        self._last = grammar.last
        self._stack = [grammar.first]
        self._accepts = grammar.accepts

    @property
    def accepts(self) -> frozenset[str]:
        """Return the terminals that may come next."""
        return self._accepts(self._stack[-1])

    def stack(self) -> tuple[int, ...]:
        """Return the state of the parse, for ``restore``."""
        return tuple(self._stack)

    def restore(self, stack: tuple[int, ...]) -> None:
        """Go back to where ``stack`` was taken."""
        self._stack = list(stack)

    def push(self, terminal: str) -> None:
        """Take the next terminal, one of ``accepts``."""
        while (action := self._states[self._stack[-1]][terminal]) < 0:
            self._reduce(-1 - action)
        self._stack.append(action)

    def finish(self) -> bool:
        """Return whether the input may end here."""
        while self._stack[-1] != self._last:
            action = self._states[self._stack[-1]].get(END, 0)
            if action >= 0:
                return False
            self._reduce(-1 - action)
        return True

    def _reduce(self, rule: int) -> None:
        symbol, length = self._rules[rule]
        if length:
            del self._stack[-length:]
        self._stack.append(self._states[self._stack[-1]][symbol])
