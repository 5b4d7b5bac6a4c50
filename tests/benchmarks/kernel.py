"""In one process, turn by turn: the bare pass, the decode kernel, the reader; or what is kept.

Prints JSON: medians in milliseconds of processor time, or bytes per line.
"""

import gc
import json
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from mapinspect.readers.gnu_map import read_map
from mapinspect.readers.gnu_map.grammar import gnu_ld
from mapinspect.readers.gnu_map.scan import Scan
from tests.benchmarks.bare_pass import bare_pass


def kernel(text: bytes) -> Scan:
    """Classify every line and fill the columns."""
    scan = Scan(text, gnu_ld())
    scan.run()
    assert scan.whole
    assert not any(token.terminal == "UNKNOWN" for token in scan.tokens)
    return scan


def times(text: bytes, rounds: int) -> dict[str, float]:
    """Return the median of each, measured turn by turn."""
    work: dict[str, Callable[[bytes], object]] = {
        "bare": bare_pass,
        "kernel": kernel,
        "reader": lambda text: read_map("bench.map", text),
    }
    taken: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, function in work.items():
            gc.collect()
            start = time.process_time()
            function(text)
            taken[name].append(1000 * (time.process_time() - start))
    return {name: statistics.median(values) for name, values in taken.items()}


def kept(text: bytes) -> dict[str, float]:
    """Return the bytes per line that the reader keeps beside the text."""
    gnu_ld()
    tracemalloc.start()
    link_map = read_map("bench.map", text)
    gc.collect()
    current, _ = tracemalloc.get_traced_memory()
    return {"kept": current / link_map.line_count}


if __name__ == "__main__":
    content = Path(sys.argv[1]).read_bytes()
    what = kept(content) if sys.argv[2] == "kept" else times(content, int(sys.argv[2]))
    print(json.dumps(what))
