"""What the tests of sound firmware share: a Cortex-M's script and code, and what is said of it."""

from mapinspect.checks.judge import judge
from mapinspect.model.finding import Outcome, Status
from tests.linked import Linked

CORTEX_M = """\
ENTRY(start)
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 64K
         RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 16K }
"""
ENTRY = """\
.syntax unified
.thumb
.text
.global start
.thumb_func
start: nop
"""


def faults(linked: Linked, *, warnings: bool = False) -> list[Outcome]:
    outcomes = judge(linked.inspection())
    wrong = (Status.BROKEN, Status.UNDECIDED)
    return [item for item in outcomes if item.status in wrong or (warnings and item.findings)]
