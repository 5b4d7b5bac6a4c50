"""Model files against the image: where their bytes lie, and whether they are the same."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from mapinspect.analysis.difference import likely_cause, same_layers, swapped, swapped_width
from mapinspect.analysis.locate import Surroundings, symbols
from mapinspect.analysis.search import Hit, first_difference, occurrences, stored_place
from mapinspect.analysis.tensors import tensors_in_ram, tensors_of
from mapinspect.model.budget import ModelEntry
from mapinspect.model.elf_file import ElfFile
from mapinspect.model.embedded import EmbeddedModel, StoredModel
from mapinspect.model.image import Span
from mapinspect.model.inspection import Located, ModelCopy, ModelFacts
from mapinspect.model.network import Network

_PADDING = 16  # bytes that an aligned array may be longer than its file
_SWAPS = (4, 2, 8)  # bytes of the words that other byte orders turn around
_SAME_START = 256  # bytes; with so many in common a copy is of this file, whatever follows


@dataclass(frozen=True, slots=True)
class GivenModel:
    """A model of the table or the command line: its entry, its file, and what that says."""

    entry: ModelEntry
    content: bytes
    network: Network | None = None


def model_facts(
    around: Surroundings, given: Sequence[GivenModel], stored: Sequence[StoredModel]
) -> tuple[ModelFacts, ...]:
    """Return every copy of every model: by its symbol, and by its bytes anywhere in the image.

    A copy that differs is found by its symbol, by a rare part that it shares with the file, or
    as the one stored model with the same layers.
    """
    if around.elf is None:
        return tuple(ModelFacts(item.entry, len(item.content), ()) for item in given)
    found = [list(_copies(around, around.elf, item, stored)) for item in given]
    taken = {copy.place.span.start for copies in found for copy in copies if copy.matches}
    facts = []
    for item, equal in zip(given, found, strict=True):
        copies = (*equal, *_versions(around, item, stored, taken, equal))
        tensors = tensors_of(around, item.network, item.content, copies)
        others = [Span(model.vma, model.size) for model in stored]
        in_ram = tensors_in_ram(around, item.network, item.content, copies, others)
        facts.append(ModelFacts(item.entry, len(item.content), copies, tensors, in_ram))
    return tuple(facts)


def _versions(
    around: Surroundings,
    item: GivenModel,
    stored: Sequence[StoredModel],
    taken: set[int],
    copies: Sequence[ModelCopy],
) -> Iterable[ModelCopy]:
    """Return the changed copies of a model of which no copy equals the file, each place once."""
    if around.elf is None or any(copy.matches for copy in copies):
        return ()
    known = taken | {copy.place.span.start for copy in copies}
    changed = list(_changed(around, around.elf, item, stored))
    # The first way that led to a place says most about it.
    places = {copy.place.span.start: copy for copy in reversed(changed)}
    return [copy for start, copy in places.items() if start not in known]


def _copies(
    around: Surroundings, elf: ElfFile, item: GivenModel, stored: Sequence[StoredModel]
) -> Iterator[ModelCopy]:
    """Yield the copies that the symbol names, then the others that equal the file."""
    known = set()
    for place in symbols(around, item.entry.symbol) if item.entry.symbol else ():
        known.add(place.span.start)
        yield _compare(elf, place, item, stored)
    for hit in occurrences(elf, item.content):
        if hit.equal and hit.address not in known:
            known.add(hit.address)
            name = _name_at(elf, hit.address)
            place = stored_place(around, elf, hit, name, len(item.content))
            yield ModelCopy(place, True, None)


def _changed(
    around: Surroundings, elf: ElfFile, item: GivenModel, stored: Sequence[StoredModel]
) -> Iterator[ModelCopy]:
    """Yield the places that hold something much like the file, surest first."""
    for model in stored:
        if _is_version(elf, item, model):
            yield _changed_copy(around, elf, item, _hit(elf, model), model)
    for hit in occurrences(elf, item.content):
        if not hit.equal and _begins_alike(elf, item, hit.offset):
            model = StoredModel(hit.section.ordinal, hit.offset, hit.address, 0, None)
            yield _changed_copy(around, elf, item, hit, model)
    for width in _SWAPS:
        turned = swapped(item.content, width)
        for hit in occurrences(elf, turned) if turned != item.content else ():
            if hit.equal or _starts_swapped(elf, item, hit.offset):
                model = StoredModel(hit.section.ordinal, hit.offset, hit.address, 0, None)
                yield _changed_copy(around, elf, item, hit, model)


def _begins_alike(elf: ElfFile, item: GivenModel, offset: int) -> bool:
    """Return whether a model begins there; else one of the file's tensors lies by itself."""
    return elf.content[offset + 4 : offset + 8] == item.content[4:8]


def _starts_swapped(elf: ElfFile, item: GivenModel, offset: int) -> bool:
    linked = elf.content[offset : offset + _SAME_START]
    return swapped_width(linked, item.content[:_SAME_START]) is not None


def _is_version(elf: ElfFile, item: GivenModel, model: StoredModel) -> bool:
    """Return whether a stored model is another version of the given one, or its beginning."""
    if model.network is not None and item.network is not None:
        return same_layers(model.network, item.network)
    start = item.content[:_SAME_START]
    return model.network is None and elf.content.startswith(start, model.offset)


def _changed_copy(
    around: Surroundings, elf: ElfFile, item: GivenModel, hit: Hit, model: StoredModel
) -> ModelCopy:
    name = _name_at(elf, model.vma)
    size = model.size or _size_at(elf, model.vma) or len(item.content)
    size = min(size, hit.room)
    place = stored_place(around, elf, hit, name, size)
    linked = elf.content[model.offset : model.offset + size]
    cause = likely_cause(linked, item.content, model.network, item.network, model.fault)
    return ModelCopy(place, False, first_difference(linked, item.content), cause)


def _compare(
    elf: ElfFile, place: Located, item: GivenModel, stored: Sequence[StoredModel]
) -> ModelCopy:
    section = place.section
    if not section.has_contents:
        return ModelCopy(place, None, None)
    held = elf.contents(elf.sections[section.ordinal])
    start = place.span.start - section.vma
    size = place.span.size or min(len(item.content), len(held) - start)
    place = replace(place, span=Span(place.span.start, size))
    linked = bytes(held[start : start + size])
    difference = _difference(linked, item.content)
    if difference is None:
        return ModelCopy(place, True, None)
    there = next((model for model in stored if model.vma == place.span.start), None)
    network, fault = (there.network, there.fault) if there else (None, "")
    cause = likely_cause(linked, item.content, network, item.network, fault)
    return ModelCopy(place, False, difference, cause)


def _difference(linked: bytes, content: bytes) -> int | None:
    padding = linked[len(content) :]
    if len(padding) < _PADDING and not any(padding) and linked.startswith(content):
        return None
    return first_difference(linked, content)


def embedded_models(
    around: Surroundings, stored: Sequence[StoredModel], models: Sequence[ModelFacts]
) -> tuple[EmbeddedModel, ...]:
    """Return the models that the image stores, each with its symbols and the given model it is."""
    if around.elf is None:
        return ()
    entries = {
        copy.place.span.start: model.entry.name
        for model in reversed(models)
        for copy in model.copies
    }
    names = _names(around.elf, {model.vma for model in stored})
    return tuple(
        _embedded(around, around.elf, model, names.get(model.vma, ()), entries.get(model.vma))
        for model in stored
    )


def _embedded(
    around: Surroundings,
    elf: ElfFile,
    model: StoredModel,
    names: tuple[str, ...],
    entry: str | None,
) -> EmbeddedModel:
    size = max(model.size, _size_at(elf, model.vma))
    place = stored_place(around, elf, _hit(elf, model), names[0] if names else None, size)
    digest = sha256(elf.content[model.offset : model.offset + model.size]).hexdigest()
    return EmbeddedModel(place, names, model.network, model.fault, entry, digest)


def _hit(elf: ElfFile, model: StoredModel) -> Hit:
    """Return where a stored model lies."""
    return Hit(elf.sections[model.section], model.offset, equal=False)


def _names(elf: ElfFile, addresses: set[int]) -> Mapping[int, tuple[str, ...]]:
    """Return the symbols at these addresses, those with the most bytes first."""
    found: dict[int, list[tuple[int, str]]] = {}
    for ordinal, address in enumerate(elf.symbols.addresses() if addresses else ()):
        if address in addresses:
            symbol = elf.symbols[ordinal]
            if symbol.has_address and symbol.name and not symbol.name.startswith("$"):
                found.setdefault(address, []).append((-symbol.size, symbol.name))
    return {
        address: tuple(dict.fromkeys(name for _, name in sorted(rows)))
        for address, rows in found.items()
    }


def _name_at(elf: ElfFile, address: int) -> str | None:
    names = _names(elf, {address}).get(address, ())
    return names[0] if names else None


def _size_at(elf: ElfFile, address: int) -> int:
    """Return the size that the symbol at an address states; 0 where none does."""
    sizes = elf.symbols.sizes()
    rows = enumerate(elf.symbols.addresses())
    return max((sizes[ordinal] for ordinal, start in rows if start == address), default=0)
