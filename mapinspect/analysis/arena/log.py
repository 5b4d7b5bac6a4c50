"""Lines that the runtime writes, explained against the computed arena.

A failing AllocateTensors prints what it asked for; the recording allocator prints what it used.
Both check the computation on the device itself: the head that a failing runtime requests must be
the computed one.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from mapinspect.model.arena import ArenaNeed
from mapinspect.model.layer import LogNote

LINE_LIMIT = 100_000  # lines looked at
LENGTH_LIMIT = 4096  # characters of a line

Numbers = tuple[int, ...]


def explain(lines: Iterable[str], need: ArenaNeed) -> tuple[LogNote, ...]:
    """Return a note for every line that the runtime is known to write, in order of the log.

    ``need`` is the computed need of the model that ran. Unknown lines have no note.
    """
    return tuple(_notes(lines, need))


def _notes(lines: Iterable[str], need: ArenaNeed) -> Iterator[LogNote]:
    for number, line in enumerate(lines, 1):
        if number > LINE_LIMIT:
            return
        text = line.strip()[:LENGTH_LIMIT]
        for pattern, rule in _RULES:
            found = pattern.search(text)
            if found:
                numbers = tuple(int(group) for group in found.groups() if group.isdigit())
                agrees, meaning = rule(need, numbers, found.group(0))
                yield LogNote(number, text, meaning, agrees)
                break


Verdict = tuple[bool | None, str]
Rule = Callable[[ArenaNeed, Numbers, str], Verdict]


def _head(need: ArenaNeed, numbers: Numbers, text: str) -> Verdict:
    """Compare the head that was requested with the computed one."""
    del text
    requested, available = numbers[0], numbers[1]
    if requested == need.nonpersistent:
        return True, (
            f"the head, {requested} B, is what was computed; {available} B of the arena were "
            f"free beside its tail: declare at least {need.smallest} B"
        )
    return False, (
        f"the runtime wanted a head of {requested} B, computed are {need.nonpersistent} B: "
        "another model, kernel set or version runs there"
    )


def _tail(need: ArenaNeed, numbers: Numbers, text: str) -> Verdict:
    del numbers, text
    return None, (
        f"the tail met the head: head {need.nonpersistent} B and tail {need.persistent} B need "
        f"an arena of {need.smallest} B"
    )


def _temporary(need: ArenaNeed, numbers: Numbers, text: str) -> Verdict:
    del numbers, text
    return None, (
        "temporary descriptions or the planner's work arrays found no room while starting: "
        f"declare at least {need.smallest} B, more than the {_used(need)} B used later"
    )


def _used(need: ArenaNeed) -> int:
    return need.nonpersistent + need.persistent


def _older_message(need: ArenaNeed, numbers: Numbers, text: str) -> Verdict:
    """Compare the planner total of older runtimes, which say it in other words."""
    return _head(need, numbers, text)


def _output(need: ArenaNeed, numbers: Numbers, text: str) -> Verdict:
    del numbers, text
    return None, (
        "the last records, those of inputs and outputs, found no room: "
        f"declare at least {need.smallest} B"
    )


def _recorded(name: str) -> Rule:
    def rule(need: ArenaNeed, numbers: Numbers, text: str) -> Verdict:
        """Judge one figure of the recording allocator by the computed part of that name."""
        del text
        sizes = {
            "head": need.nonpersistent,
            "tail": need.persistent,
            "total": _used(need),
        }
        computed, found = sizes[name], numbers[0]
        if computed == found:
            return True, f"the {name} is what was computed"
        return False, f"the {name} was {found} B, computed are {computed} B"

    return rule


def _says(meaning: str) -> Rule:
    return lambda need, numbers, text: (None, meaning)  # noqa: ARG005 - the rules' common form


_NUMBER = r"[^0-9\n]{0,40}([0-9]{1,12})"
_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        (rf"Failed to resize buffer\. Requested:{_NUMBER}{_NUMBER}", _head),
        (rf"too small for all buffers\. Needed{_NUMBER}{_NUMBER}", _older_message),
        (r"Failed to allocate tail memory", _tail),
        (r"Failed to allocate temp memory", _temporary),
        (r"Failed to allocate temp\. memory for tensor", _temporary),
        (r"Failed to allocate memory for memory planning", _temporary),
        (r"Too many buffers \(max is", _temporary),
        (r"Failed to initialize (?:output|input) tensor", _output),
        (r"Failed to allocate memory for context->(?:in|out)put_tensors_", _output),
        (
            r"Scratch buffer request exceeds limit per operator",
            _says("one operator asks for more than 12 scratch buffers: its kernel does not fit"),
        ),
        (
            r"[0-9]+ bytes lost due to alignment",
            _says("the arena does not start at a multiple of 16: align it to get those back"),
        ),
        (
            r"(?:Failed to get registration from op code|Didn't find op for builtin opcode)",
            _says("the model uses an operator that the application did not register"),
        ),
        (r"allocation total ([0-9]{1,12}) bytes", _recorded("total")),
        (r"allocation head ([0-9]{1,12}) bytes", _recorded("head")),
        (r"allocation tail ([0-9]{1,12}) bytes", _recorded("tail")),
        (
            r"Hybrid models are not supported",
            _says("float activations meet integer weights: quantise the whole model"),
        ),
        (
            r"Dynamic tensors are not supported|dynamic tensor",
            _says("a tensor's size is only known at run time: convert with fixed shapes"),
        ),
    )
)
