"""A model's constant tensors in the image: by the model's own copy, or searched one by one."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from mapinspect.analysis.arena.layers import constants_of
from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.search import RARE, occurrences, stored_place
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.embedded import TensorPlace, loadable
from mapinspect.model.image import Evidence, Span
from mapinspect.model.inspection import Located, ModelCopy
from mapinspect.model.network import Network, Tensor

_LEAST = 16  # bytes of a tensor that is searched for; fewer lie anywhere by chance
_DISTINCT = 4  # different byte values that make it worth a search; zeros lie anywhere
_LARGE = 256  # bytes; smaller ones in RAM cost too little for a search
_WORK = 1 << 34  # bytes looked through for one model at most: seconds
_NEITHER = "constant"


def tensors_of(
    around: Surroundings, network: Network | None, content: bytes, copies: Sequence[ModelCopy]
) -> tuple[TensorPlace, ...]:
    """Return where each constant tensor lies, in the order in which operators use them.

    In a copy that equals the file that is known; without any copy each tensor is searched for,
    as runtimes that compile a model keep them apart. ``places`` is empty where it is nowhere.
    """
    if around.elf is None or network is None:
        return ()
    whole = next((copy.place for copy in copies if copy.matches), None)
    if whole is not None:
        return tuple(_inside(around, whole, item) for item in _constants(network))
    if copies:
        return ()
    return tuple(_searched(around, around.elf, network, content))


def tensors_in_ram(
    around: Surroundings,
    network: Network | None,
    content: bytes,
    copies: Sequence[ModelCopy],
    others: Iterable[Span],
) -> tuple[Located, ...]:
    """Return the large tensors that start-up copies to RAM besides a copy of the whole file.

    Those inside a copy of it, or inside one of the ``others``, are that model's own.
    """
    elf = around.elf
    if elf is None or network is None or not any(copy.matches for copy in copies):
        return ()
    sections = [item for item in loadable(elf) if item.writable or item.lma != item.vma]
    models = [*others, *(copy.place.span for copy in copies)]
    work = _WORK // max(1, sum(item.size for item in sections))
    names, found = _Names(elf), dict[Span, Located]()
    for item in [item for item in _constants(network) if item.size >= _LARGE][:work]:
        stored = content[item.offset : item.offset + item.size]
        for hit in occurrences(elf, stored, sections) if _is_rare(stored) else ():
            span = Span(hit.address, item.size)
            if hit.equal and not any(model.contains(span) for model in models):
                name = names.at(hit.address)
                found.setdefault(span, stored_place(around, elf, hit, name, item.size))
    return tuple(found.values())


def _is_rare(stored: bytes) -> bool:
    return len(set(stored[:4096])) >= RARE


def _constants(network: Network) -> Iterator[TensorPlace]:
    """Yield every stored constant once, where an operator first uses it; places yet unknown."""
    seen: set[tuple[int, int]] = set()
    for graph in network.subgraphs:
        for operator in graph.operators:
            weights, biases = constants_of(operator, graph)
            roles = {tensor.index: "weights" for tensor in weights}
            roles |= {tensor.index: "bias" for tensor in biases}
            for index in operator.inputs:
                tensor = graph.tensors[index] if index >= 0 else None
                if tensor is None or not tensor.data_size or _key(tensor) in seen:
                    continue
                seen.add(_key(tensor))
                layer = (graph.index, operator.index)
                role = roles.get(index, _NEITHER)
                yield TensorPlace(
                    tensor.name, layer, operator.code, role, tensor.data_offset, tensor.data_size
                )


def _key(tensor: Tensor) -> tuple[int, int]:
    return tensor.data_offset, tensor.data_size


def _inside(around: Surroundings, whole: Located, item: TensorPlace) -> TensorPlace:
    address = whole.span.start + item.offset
    evidence = Evidence(around.image, None, f"{item.name} at {address:#010x}, {item.size} bytes")
    place = around.inside(whole.section, whole.name, Span(address, item.size), evidence)
    return item.at(place)


def _searched(
    around: Surroundings, elf: ElfFile, network: Network, content: bytes
) -> Iterator[TensorPlace]:
    names = _Names(elf)
    left = _WORK
    for item in _constants(network):
        stored = content[item.offset : item.offset + item.size]
        if item.size < _LEAST or len(set(stored[:4096])) < _DISTINCT:
            continue
        left -= len(elf.content)
        hits = occurrences(elf, stored) if left > 0 else iter(())
        places = [
            stored_place(around, elf, hit, names.at(hit.address), item.size)
            for hit in hits
            if hit.equal
        ]
        yield item.at(*places)


class _Names:
    """Which symbol holds an address; looked up only where tensors are found."""

    def __init__(self, elf: ElfFile) -> None:
        self._elf = elf

    @cached_property
    def _rows(self) -> list[tuple[int, int, int]]:
        symbols = self._elf.symbols
        rows = zip(symbols.addresses(), symbols.sizes(), range(len(symbols)), strict=True)
        return sorted(row for row in rows if row[1])

    def at(self, address: int) -> str | None:
        """Return the name of the variable that holds the byte at ``address``."""
        found = bisect_right(self._rows, (address, 1 << 64, 0)) - 1
        if found < 0:
            return None
        start, size, ordinal = self._rows[found]
        return self._elf.symbols[ordinal].name if address < start + size else None
