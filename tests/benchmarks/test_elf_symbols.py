"""How much faster symbols are read than by pyelftools' iterator; prints the ratio.

    python -m tests.benchmarks.test_elf_symbols [COUNT]

Under pytest only a small table is read, to keep the script alive; wall time decides nothing
there. The ratio compares CPU time: reading with all checks, every field and every name, against
``SymbolTableSection.iter_symbols`` with the name and the four fields that a map tool reads.
"""

import io
import sys
import time
from collections.abc import Callable

from elftools.elf.elffile import ELFFile

from mapinspect.readers.elf import read_elf
from tests.elf_builder import ElfSymbolSpec, bss, build_elf

SHARE = 25  # pyelftools reads one symbol in so many


def image(count: int) -> bytes:
    """Return an image whose symbols have names of usual length."""
    symbols = [
        ElfSymbolSpec(f"_ZN6tflite10MicroTable{i:08}Ev", 0x2000_1000 + 4 * i, 4, ".bss")
        for i in range(count)
    ]
    return build_elf([bss(4 * count)], symbols)


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """Return the CPU seconds of the fastest round."""
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def read_columns(content: bytes) -> int:
    """Read all symbols as columns, names included; return their number."""
    symbols = read_elf("app.elf", content).symbols
    columns = (symbols.addresses(), symbols.sizes(), symbols.names())
    return sum(1 for _ in zip(*columns, strict=True))


def read_records(content: bytes) -> int:
    """Read all symbols as records; return their number."""
    return sum(1 for _ in read_elf("app.elf", content).symbols)


def read_with_pyelftools(content: bytes, count: int) -> int:
    """Read the first ``count`` symbols one by one; return the sum of their sizes."""
    table = ELFFile(io.BytesIO(content)).get_section_by_name(".symtab")
    total = 0
    for _, symbol in zip(range(count), table.iter_symbols(), strict=False):
        total += len(symbol.name) * 0 + symbol["st_value"] * 0 + symbol["st_size"]
    return total


def report(count: int) -> str:
    """Return one line a way of reading: microseconds a symbol and the ratio."""
    content = image(count)
    part = max(1, count // SHARE)
    iterator = seconds(lambda: read_with_pyelftools(content, part)) / part
    lines = [f"{count} symbols; pyelftools' iterator {iterator * 1e6:.2f} us/symbol"]
    ways = {
        "read and check": lambda: read_elf("app.elf", content),
        "columns with names": lambda: read_columns(content),
        "records": lambda: read_records(content),
        "first lookup by name": lambda: read_elf("app.elf", content).symbols.named("main"),
    }
    for name, way in ways.items():
        each = seconds(way) / count
        lines.append(f"{name}: {each * 1e6:.3f} us/symbol, {iterator / each:.0f} x")
    return "\n".join(lines)


def test_the_report_covers_every_way_of_reading() -> None:
    assert report(200).count(" x") == 4


if __name__ == "__main__":
    print(report(int(sys.argv[1]) if len(sys.argv) > 1 else 250_000))
