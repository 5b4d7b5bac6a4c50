"""What models cost a check, as ratios; prints them.

    python -m tests.benchmarks.test_models

Goals: a model of 4 MB with 200 operators is read and planned in a second; one of 60 KB adds 60 ms
to a check; finding one of 8 MB in an image of 16 MB takes at most three times as long as
comparing that image once with another (one memcmp). Under pytest small sizes keep the script
alive; wall time decides nothing there.
"""

import random
import time
from collections.abc import Callable

from mapinspect.analysis.arena.image_need import target_need
from mapinspect.analysis.search import occurrences
from mapinspect.needs import models_in
from mapinspect.readers.elf import read_elf
from mapinspect.readers.tflite import read_network
from tests.elf_builder import build_elf, text
from tests.embedding import entry, inspect_elf, rodata
from tests.model_builder import G, Op, T, write_model


def seconds(work: Callable[[], object], rounds: int = 5) -> float:
    """The CPU seconds of the fastest round."""
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def model(size: int, operators: int) -> bytes:
    """A chain of dense layers with ``size`` bytes of random weights in all."""
    width = 64
    rows = max(1, size // operators // width)
    tensors = [T([1, width], "INT8")]
    chain = []
    for number in range(operators):
        weights = random.Random(number).randbytes(rows * width)
        tensors += [T([rows, width], "INT8", data=weights), T([1, width], "INT8")]
        at = 2 * number
        chain.append(
            Op("FULLY_CONNECTED", [at, at + 1, -1], [at + 2], table="FullyConnectedOptions")
        )
    return write_model(G(tensors, chain, [0], [2 * operators]))


def finding(size: int, image_size: int) -> str:
    """One line: finding the model by content, against one comparison of the image's bytes."""
    content = random.Random(1).randbytes(size)
    rest = random.Random(2).randbytes((image_size - size) // 2)
    elf = read_elf("app.elf", build_elf([text(bytes(64)), rodata(rest + content + rest)]))
    assert sum(hit.equal for hit in occurrences(elf, content)) == 1
    again = bytes(bytearray(elf.content))
    compare = seconds(lambda: elf.content == again)
    found = seconds(lambda: list(occurrences(elf, content)))
    return f"find {size} bytes in {image_size}: {found * 1e3:.2f} ms, {found / compare:.2f} x"


def planning(size: int, operators: int) -> str:
    """One line: reading and planning a model."""
    content = model(size, operators)

    def work() -> object:
        return target_need(read_network("net.tflite", content), "cortex-m4", "cmsis-nn")

    return f"{len(content)} bytes, {operators} operators: {seconds(work, 3) * 1e3:.0f} ms"


def adding(size: int, operators: int) -> str:
    """One line: what a model adds to the facts of an image that holds it."""
    content = model(size, operators)
    elf = read_elf("app.elf", build_elf([text(bytes(64)), rodata(content)]))
    bare = read_elf("app.elf", build_elf([text(bytes(64)), rodata(bytes(len(content)))]))
    with_it = seconds(lambda: inspect_elf(elf, [(entry(), content)]), 3)
    without = seconds(lambda: inspect_elf(bare), 3)
    return f"a check with {len(content)} bytes more: {(with_it - without) * 1e3:.0f} ms"


def scanning(size: int) -> str:
    """One line: looking for models that nobody names."""
    noise = random.Random(3).randbytes(size)
    elf = read_elf("app.elf", build_elf([text(bytes(64)), rodata(noise)]))
    return f"scan {size} bytes for models: {seconds(lambda: models_in(elf, ())) * 1e3:.2f} ms"


def report(scale: int) -> str:
    """All lines, sizes divided by ``scale``."""
    mega = (1 << 20) // scale
    return "\n".join(
        [
            finding(8 * mega, 16 * mega),
            planning(4 * mega, max(2, 200 // scale)),
            adding(60 * 1024 // scale, 12),
            scanning(16 * mega),
        ]
    )


def test_the_report_covers_every_goal() -> None:
    assert len(report(64).splitlines()) == 4


if __name__ == "__main__":
    print(report(1))
