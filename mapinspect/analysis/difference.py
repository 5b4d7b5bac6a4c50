"""Two versions of a model → what most likely lies behind their first difference."""

from collections.abc import Iterator

from mapinspect.model.network import Network, Tensor

_WORDS = (4, 2, 8)  # bytes; the words in which other byte orders turn an array around
_FILLERS = (b"\0", b"\xff")  # what arrays and erased Flash are filled with


def swapped(content: bytes, width: int) -> bytes:
    """Return ``content`` with the bytes of every whole word of ``width`` in the other order."""
    whole = len(content) - len(content) % width
    turned = bytearray(whole)
    for place in range(width):
        turned[place::width] = content[width - 1 - place : whole : width]
    return bytes(turned) + content[whole:]


def swapped_width(linked: bytes, content: bytes) -> int | None:
    """Return the word size in which ``linked`` is ``content`` byte-swapped, or None."""
    for width in _WORDS:
        whole = min(len(linked), len(content)) // width * width
        if whole and linked[:whole] == swapped(content[:whole], width):
            return width
    return None


def likely_cause(
    linked: bytes, content: bytes, there: Network | None, given: Network | None, fault: str = ""
) -> str:
    """Return why ``linked`` is not the file ``content``, as far as the bytes tell, or "".

    ``there`` is the model read at that place, None where it is not complete (``fault`` says why);
    ``given`` is the file's.
    """
    if linked.startswith(content):
        rest = linked[len(content) :]
        filled = any(not rest.strip(filler) for filler in _FILLERS)
        what = "padding" if filled else "other bytes"
        return f"the whole file, then {len(rest)} bytes of {what}"
    if content.startswith(linked):
        return f"truncated: its first {len(linked)} bytes are the file's"
    for filler in _FILLERS:
        kept = linked.rstrip(filler)
        if len(kept) >= len(linked) // 8 and content.startswith(kept):
            return f"truncated: the file's first {len(kept)} bytes, then {filler[0]:#04x}"
    width = swapped_width(linked, content)
    if width is not None:
        return f"byte-swapped in words of {width} bytes"
    if there is not None and given is not None:
        return _between(there, given)
    return f"damaged: {fault}" if fault else ""


def _between(there: Network, given: Network) -> str:
    """Return how two complete models differ."""
    if _layers(there) != _layers(given):
        mine, other = _count(there), _count(given)
        if mine == other:
            return "another model: other layers"
        return f"another model: {mine} operators, the file has {other}"
    types = [(a.type, b.type) for a, b in _pairs(there, given) if a.type != b.type]
    if types:
        return f"quantised differently: {types[0][0]} in the image, {types[0][1]} in the file"
    if any(a.shape != b.shape for a, b in _pairs(there, given)):
        return "another version: the same operators, other shapes"
    scales = sum(a.quantization != b.quantization for a, b in _pairs(there, given))
    if scales:
        return f"another version: the same layers, {scales} tensors with other scales"
    return "another version: the same layers and shapes, other weights or metadata"


def _layers(network: Network) -> list[list[tuple[str, str | None]]]:
    return [
        [(operator.code, operator.custom) for operator in graph.operators]
        for graph in network.subgraphs
    ]


def same_layers(one: Network, two: Network) -> bool:
    """Return whether both models have the same operators in the same order."""
    return _layers(one) == _layers(two)


def _count(network: Network) -> int:
    return sum(len(graph.operators) for graph in network.subgraphs)


def _pairs(there: Network, given: Network) -> Iterator[tuple[Tensor, Tensor]]:
    for one, two in zip(there.subgraphs, given.subgraphs, strict=True):
        yield from zip(one.tensors, two.tensors, strict=False)
