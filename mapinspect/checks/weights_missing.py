"""weights-missing: a model that the firmware should embed is not in the image.

A model is found by its symbol and by its bytes; where a generator made C code of it, by the bytes
of its constant tensors, one by one. When none is there, the linker dropped it (`--gc-sections`
removes what nothing refers to), or another file was linked. With only some tensors there the claim
is undecided: generators may pack or reorder others.

    error[weights-missing]: g_model is not in the image: no symbol g_model, and the 41456
      bytes of kws.tflite are nowhere

Mend it by referring to the array, or by `KEEP()` around its section in the linker script; when
the firmware loads its model at run time, take it out of the table.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.embedded import unnamed
from mapinspect.model.finding import Outcome, broken, holds, not_claimed, undecided
from mapinspect.model.image import Evidence
from mapinspect.model.inspection import Inspection, ModelFacts


@check("weights-missing", "every model is in the image", __doc__)
def weights_missing(inspection: Inspection) -> Iterator[Outcome]:
    """Look for a copy of every model."""
    if not inspection.models:
        yield not_claimed("weights", "no model is given")
    for model in inspection.models:
        yield _judge(inspection, model)


def _judge(inspection: Inspection, model: ModelFacts) -> Outcome:
    name = model.entry.symbol or model.entry.name
    if model.copies or (model.parts and not model.absent):
        return holds(name)
    if inspection.elf is None:
        return undecided(name, f"{name} cannot be looked for without an ELF", (), "give --elf")
    if model.parts:
        return _partly(name, model)
    wanted = f"no symbol {model.entry.symbol}" if model.entry.symbol else "no symbol is named"
    message = (
        f"{name} is not in the image: {wanted}, "
        f"and the {model.size} bytes of {model.entry.file} are nowhere"
    )
    others = (other.place.evidence for other in unnamed(inspection.embedded))
    evidence = (model.entry.declared, Evidence(inspection.elf.path, None, wanted), *others)
    remedy = "refer to the array, or KEEP() its section; --gc-sections drops what nothing uses"
    return broken(name, message, evidence, remedy)


def _partly(name: str, model: ModelFacts) -> Outcome:
    absent = model.absent
    message = (
        f"of {name} {len(model.tensors) - len(absent)} of {len(model.tensors)} constant tensors "
        f"are in the image; {absent[0].name} ({absent[0].size} bytes) is nowhere"
    )
    evidence = (model.entry.declared, *(part.evidence for part in model.parts[:2]))
    remedy = "generate the code again from this file; tensors packed otherwise cannot be compared"
    return undecided(name, message, evidence, remedy)
