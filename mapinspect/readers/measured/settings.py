"""What a log cannot say about itself, stated by the user."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Settings:
    """How to read logs.

    ``task_unit`` is how many bytes one unit of FreeRTOS' stack figures has: 1 on ESP-IDF, the
    word (4 on most Cortex-M) elsewhere; None: not stated. ``stack_sizes`` are the tasks' stacks
    in bytes, by task name.
    """

    task_unit: int | None = None
    stack_sizes: Mapping[str, int] = field(default_factory=dict)
