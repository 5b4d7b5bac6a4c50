"""The command line: arguments, output and exit status; the only layer that prints or exits."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; exit 0 PASS, 1 FAIL, 2 cannot judge, 3 a bug in mapinspect."""
    from mapinspect.cli.run import run  # noqa: PLC0415 - keeps `import mapinspect.cli` free

    sys.exit(run(sys.argv[1:]))
