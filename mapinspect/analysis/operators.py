"""Operators of the models → those without a kernel in the image, and kernels without use."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mapinspect.analysis.arena.fit import operators_of, registered_by, types_registered
from mapinspect.analysis.locate import Surroundings
from mapinspect.analysis.owners import pieces_of
from mapinspect.model.elf_file import ElfFile, ElfSymbol
from mapinspect.model.embedded import EmbeddedModel, loadable
from mapinspect.model.image import Evidence, Span
from mapinspect.model.link_map import ObjectFile
from mapinspect.model.network import Network, Operator, Subgraph
from mapinspect.model.operators import Kernels, ModelOperators, UnusedKernel
from mapinspect.model.symbol_names import is_of_lto

_DATA_INPUT = {"TRANSPOSE_CONV": 2}  # its first input is a shape (schema.fbs, TransposeConvOptions)
_RUNTIME = ("MicroInterpreter", "MicroAllocator")  # classes of TensorFlow Lite Micro


@dataclass(frozen=True, slots=True)
class UsedModel:
    """A model that the image runs, and where that is said."""

    name: str
    network: Network
    place: Evidence


def kernels(
    around: Surroundings, models: Sequence[UsedModel], embedded: Sequence[EmbeddedModel]
) -> Kernels | None:
    """Return the kernels of TensorFlow Lite Micro in an image; None where it is not in it."""
    elf = around.elf
    if elf is None or not models:
        return None
    names = elf.symbols.names()
    if not any("6tflite" in name and any(kind in name for kind in _RUNTIME) for name in names):
        return None
    symbols = dict(_registering(elf))
    types = _types(elf)
    spans = [model.place.span for model in embedded]
    used = frozenset(code for model in models for code in operators_of(model.network))
    return Kernels(
        registered=tuple(sorted(symbols)),
        models=tuple(_of_model(elf, model, types, spans) for model in models),
        unused=tuple(_unused(around, elf, symbols, used)),
        doubt=_doubt(around, names, bool(symbols)),
        evidence=Evidence(elf.path, None, f"{len(symbols)} operators are registered"),
    )


def _registering(elf: ElfFile) -> Iterator[tuple[str, ElfSymbol]]:
    """Yield the operators that functions of the image register, with the function."""
    for ordinal, name in enumerate(elf.symbols.names()):
        operator = registered_by(name)
        if operator is not None:
            yield operator, elf.symbols[ordinal]


def _types(elf: ElfFile) -> dict[str, frozenset[str]]:
    """Return by operator the types that its kernels are for; "" is a kernel for all."""
    found: dict[str, set[str]] = defaultdict(set)
    for operator, symbol in _registering(elf):
        found[operator].add(types_registered(symbol.name))
    return {operator: frozenset(types) for operator, types in found.items()}


def _narrow(network: Network, types: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yield the operators whose kernels are all for other types than the model's."""
    for graph in network.subgraphs:
        for operator in graph.operators:
            kernels = types.get(operator.code, frozenset())
            used = _used_with(operator, graph)
            if kernels and "" not in kernels and used not in kernels:
                yield f"{operator.code} with {used} (registered for {', '.join(sorted(kernels))})"


def _used_with(operator: Operator, graph: Subgraph) -> str:
    """Return the types of a use, spelt as the functions that register kernels spell them."""
    inputs = [graph.tensors[index].type for index in operator.inputs if index >= 0]
    outputs = [graph.tensors[index].type for index in operator.outputs if index >= 0]
    if "INT4" in inputs[1:2]:
        return "INT4"
    first = _DATA_INPUT.get(operator.code, 0)
    return "_".join(dict.fromkeys((*inputs[first : first + 1], *outputs[:1])))


def _doubt(around: Surroundings, names: Iterable[str], seen: bool) -> str:
    if not seen:
        return "no function that registers an operator is to be seen"
    made = (*names, *(owner.path for owner in _sizes(around)))
    if any(map(is_of_lto, made)):
        return "link-time optimisation may have inlined functions that register"
    return ""


def _of_model(
    elf: ElfFile, model: UsedModel, types: Mapping[str, frozenset[str]], spans: Sequence[Span]
) -> ModelOperators:
    used = operators_of(model.network)
    custom = {
        operator.custom
        for graph in model.network.subgraphs
        for operator in graph.operators
        if operator.custom
    }
    return ModelOperators(
        model=model.name,
        used=tuple(sorted(used | custom)),
        missing=tuple(sorted(used - set(types))),
        unnamed=tuple(name for name in sorted(custom) if not _is_named(elf, name, spans)),
        place=model.place,
        narrow=tuple(dict.fromkeys(_narrow(model.network, types))),
    )


def _is_named(elf: ElfFile, name: str, spans: Sequence[Span]) -> bool:
    """Return whether a custom operator's name is a string of the image, outside its models."""
    wanted = name.encode("utf-8", "surrogateescape") + b"\0"
    for section in loadable(elf):
        end = section.offset + section.size
        at = elf.content.find(wanted, section.offset, end)
        while at >= 0:
            address = section.vma + at - section.offset
            if not any(span.start <= address < span.end for span in spans):
                return True
            at = elf.content.find(wanted, at + 1, end)
    return False


def _unused(
    around: Surroundings, elf: ElfFile, symbols: dict[str, ElfSymbol], used: frozenset[str]
) -> Iterator[UnusedKernel]:
    """Yield the objects none of whose operators is used, the largest first."""
    pieces = pieces_of(elf, around.link_map)
    homes = {section.ordinal: section for section in around.sections}
    groups: dict[ObjectFile | None, list[str]] = defaultdict(list)
    for operator, symbol in sorted(symbols.items()):
        home = homes.get(-1 if symbol.section is None else symbol.section)
        piece = None if home is None else pieces.at(home, symbol.address)
        groups[piece.owner if piece else None].append(operator)
    sizes = _sizes(around)
    found = []
    for owner, operators in groups.items():
        idle = [operator for operator in operators if operator not in used]
        if owner is None:
            found += [_kernel(elf, (operator,), None, None) for operator in idle]
        elif len(idle) == len(operators):
            found.append(_kernel(elf, tuple(idle), owner, sizes.get(owner)))
    yield from sorted(found, key=lambda kernel: (-(kernel.size or 0), kernel.operators))


def _sizes(around: Surroundings) -> dict[ObjectFile, int]:
    """Return the bytes that each object adds to the sections of the image."""
    if around.link_map is None:
        return {}
    stored = {section.name for section in around.sections if section.has_contents}
    wanted = [item.ordinal for item in around.link_map.sections if item.name in stored]
    return around.link_map.inputs.occupied_by_owner(wanted)


def _kernel(
    elf: ElfFile, operators: tuple[str, ...], owner: ObjectFile | None, size: int | None
) -> UnusedKernel:
    name = "" if owner is None else owner.path
    text = f"Register_{operators[0]} is linked" + (f", from {name}" if name else "")
    return UnusedKernel(operators, name, size, Evidence(elf.path, None, text))
