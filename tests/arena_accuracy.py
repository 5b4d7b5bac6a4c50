"""Prints how the computed arena compares with the measured one: python -m tests.arena_accuracy.

Rows are the builds of the shared truth file; every column is a number of models or of bytes.
"""

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mapinspect.analysis.arena.need import need
from mapinspect.analysis.arena.profile import Profile, profile
from mapinspect.model.arena import ArenaNeed
from mapinspect.readers.tflite import read_network

# Truth key -> target, kernels, recording: what issue and README of the collection say.
BUILDS = {
    "x86_64_wheel": ("x86-64", "reference", True),
    "cortex_m4_reference": ("cortex-m4", "reference", False),
    "cortex_m4_cmsis_nn_dsp": ("cortex-m4", "cmsis-nn", False),
    "cortex_m_cmsis_nn_plain_c": ("cortex-m3", "cmsis-nn", False),
    "cortex_m55_cmsis_nn_mve": ("cortex-m55", "cmsis-nn", False),
    "cortex_m55_cmsis_nn_mve_optimized_for_size": ("cortex-m55", "cmsis-nn-size", False),
    "reference_ilp32": ("esp32c3", "reference", False),
    "esp_nn_ansi_ilp32": ("esp32c3", "esp-nn-ansi", False),
    "esp_nn_opt_ilp32": ("esp32", "esp-nn", False),
    "esp_nn_esp32s3": ("esp32s3", "esp-nn", False),
    "esp_nn_esp32s3_v1_1": ("esp32s3", "esp-nn@1.1", False),
    "esp_nn_esp32p4": ("esp32p4", "esp-nn", False),
    "esp_nn_esp32p4_v1_1": ("esp32p4", "esp-nn@1.1", False),
}


def build_profile(build: str) -> Profile:
    target, kernels, recording = BUILDS[build]
    return profile(target, kernels, recording=recording)


@dataclass
class Comparison:
    """One build against the truth: rows compared, and what differs, one line each."""

    build: str
    rows: int = 0
    with_smallest: int = 0
    refused: int = 0
    differences: list[str] = field(default_factory=list)
    largest: dict[str, int] = field(default_factory=lambda: {"head": 0, "tail": 0, "smallest": 0})

    def add(self, file: str, truth: dict[str, Any] | None, found: ArenaNeed) -> None:
        if truth is None:
            self.refused += 1
            if found.refused is None and found.exact:
                self.differences.append(f"{file}: refused by the runtime, not predicted")
            return
        self.rows += 1
        if found.refused:
            self.differences.append(f"{file}: accepted by the runtime, predicted: {found.refused}")
        values = {"head": found.nonpersistent, "tail": found.persistent}
        expected = {"head": truth["head"], "tail": truth["tail"]}
        if (smallest := truth.get("smallest_working_arena")) is not None:
            self.with_smallest += 1
            values["smallest"], expected["smallest"] = found.smallest, smallest
        for name, value in values.items():
            error = value - expected[name]
            self.largest[name] = max(self.largest[name], abs(error), key=abs)
            if error:
                self.differences.append(f"{file}: {name} {value}, measured {expected[name]}")


def compare(shared: Path, build: str) -> Comparison:
    result = Comparison(build)
    wanted = build_profile(build)
    for row in json.loads((shared / "models/arena_truth.json").read_text()):
        content = (shared / "models" / row["file"]).read_bytes()
        network = read_network(row["file"], content)
        result.add(row["file"], row[build], need(network, wanted))
    return result


def main() -> int:
    beside = Path(__file__).resolve().parents[2] / "shared"
    shared = Path(os.environ.get("MAPINSPECT_SHARED", beside))
    print(f"{'build':44} rows smallest null  max error: head tail smallest")
    failed = False
    for build in BUILDS:
        result = compare(shared, build)
        worst = result.largest
        print(
            f"{build:44} {result.rows:4} {result.with_smallest:8} {result.refused:4}  "
            f"{worst['head']:15} {worst['tail']:4} {worst['smallest']:8}"
        )
        for line in result.differences:
            print(f"  {line}")
        failed = failed or bool(result.differences)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
