"""operators-missing: a model uses an operator that the firmware has no kernel for.

TensorFlow Lite Micro only runs operators that the application registered; with one missing,
AllocateTensors fails on the device ("Didn't find op for builtin opcode"). Each builtin operator
is registered by a function of its own, whose symbol tells. A custom operator is registered under
its name, which then is a string of the image. A kernel registered for some types only
(`Register_CONV_2D_INT8`) is no proof for a model with others. Kernels that no model uses cost
Flash; the map says how much.

    error[operators-missing]: kws uses SOFTMAX, which the firmware does not register

Mend it by adding the operator to the resolver (`resolver.AddSoftmax()`), and take out those that
no model uses.
"""

from collections.abc import Iterator

from mapinspect.checks.check import check
from mapinspect.model.finding import (
    Finding,
    Outcome,
    Severity,
    broken,
    holds,
    not_claimed,
    undecided,
)
from mapinspect.model.inspection import Inspection
from mapinspect.model.operators import Kernels, ModelOperators, UnusedKernel


@check("operators-missing", "the firmware has a kernel for every operator of its models", __doc__)
def operators_missing(inspection: Inspection) -> Iterator[Outcome]:
    """Compare each model's operators with those registered; then say which nothing uses."""
    facts = inspection.kernels
    if facts is None:
        yield not_claimed("operators", "no model is known to run on TensorFlow Lite Micro here")
        return
    for model in facts.models:
        yield _judge(facts, model)
    if facts.unused:
        finding = _unused(facts)
        yield not_claimed("unused kernels", "what they cost is information", finding)


def _judge(facts: Kernels, model: ModelOperators) -> Outcome:
    evidence = (model.place, facts.evidence)
    if model.unnamed:
        names = ", ".join(model.unnamed)
        message = f"{model.model} uses the custom operator {names}, a name nowhere in the image"
        remedy = "register it: resolver.AddCustom(NAME, …)"
        return broken(model.model, message, evidence, remedy)
    if not model.missing and model.narrow:
        message = f"{model.model} uses {', '.join(model.narrow)}"
        remedy = "register the kernel for all types, or the one for these"
        return undecided(model.model, message, evidence, remedy)
    if not model.missing:
        return holds(model.model)
    names = ", ".join(model.missing)
    if facts.doubt:
        message = f"whether the firmware registers {names} for {model.model} is unknown: "
        remedy = "keep the functions Register_…: build the kernels without -flto"
        return undecided(model.model, message + facts.doubt, evidence, remedy)
    message = f"{model.model} uses {names}, which the firmware does not register"
    return broken(model.model, message, evidence, "add the operators to the resolver")


def _unused(facts: Kernels) -> Finding:
    sizes = [kernel.size for kernel in facts.unused if kernel.size is not None]
    count = sum(len(kernel.operators) for kernel in facts.unused)
    save = f": {sum(sizes)} bytes to save" if sizes else ""
    names = ", ".join(_name(kernel) for kernel in facts.unused)
    message = f"{count} registered operators are used by no model{save} ({names})"
    evidence = tuple(kernel.evidence for kernel in facts.unused[:3])
    remedy = "register only what the models use (MicroMutableOpResolver)"
    return Finding(Severity.INFORMATION, "unused kernels", message, evidence, remedy)


def _name(kernel: UnusedKernel) -> str:
    names = " and ".join(kernel.operators)
    return names if kernel.size is None else f"{names} {kernel.size}"
