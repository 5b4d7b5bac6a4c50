"""weights-missing: a model that the firmware should embed is not in the image.

A model is found by its symbol and by its bytes. When neither is there, the linker dropped it
(`--gc-sections` removes what nothing refers to), or another file was linked.

    error[weights-missing]: g_model is not in the image: no symbol g_model, and the 41456
      bytes of kws.tflite are nowhere

Mend it by referring to the array, or by `KEEP()` around its section in the linker script; when
the firmware loads its model at run time, take it out of the table.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.checks.weights import unnamed_models
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
    if model.copies:
        return holds(name)
    if inspection.elf is None:
        return undecided(name, f"{name} cannot be looked for without an ELF", (), "give --elf")
    wanted = f"no symbol {model.entry.symbol}" if model.entry.symbol else "no symbol is named"
    message = (
        f"{name} is not in the image: {wanted}, "
        f"and the {model.size} bytes of {model.entry.file} are nowhere"
    )
    others = (other.place.evidence for other in unnamed_models(inspection))
    evidence = (model.entry.declared, Evidence(inspection.elf.path, None, wanted), *others)
    remedy = "refer to the array, or KEEP() its section; --gc-sections drops what nothing uses"
    return broken(name, message, evidence, remedy)
