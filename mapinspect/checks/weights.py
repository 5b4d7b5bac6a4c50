"""What checks about weights have in common: the models to judge."""

from mapinspect.model.embedded import EmbeddedModel
from mapinspect.model.inspection import Inspection


def unnamed_models(inspection: Inspection) -> tuple[EmbeddedModel, ...]:
    """Return the complete models in the image that are none of those given."""
    return tuple(
        model for model in inspection.embedded if model.network is not None and model.entry is None
    )
