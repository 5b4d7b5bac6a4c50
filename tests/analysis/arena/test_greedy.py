import json
import struct
from pathlib import Path

import pytest

from mapinspect.analysis.arena.greedy import place, plan
from mapinspect.analysis.arena.lifetimes import lifetimes
from mapinspect.model.arena import PlannedBuffer
from mapinspect.model.network import Network
from mapinspect.readers.tflite import read_network
from tests.model_builder import G, Op, T, write_model


def network(*graphs: G, **options: dict[str, bytes]) -> Network:
    return read_network("m", write_model(*graphs, **options))


def chain(*sizes: int) -> Network:
    """A chain of RELU operators through tensors of these sizes, in bytes."""
    operators = [Op("RELU", [i], [i + 1]) for i in range(len(sizes) - 1)]
    graph = G([T([size]) for size in sizes], operators, [0], [len(sizes) - 1])
    return network(graph)


def test_lifetimes_of_a_chain() -> None:
    assert lifetimes(chain(1, 16, 16, 1)).tensors == (((0, 1), (1, 2), (2, 3), (3, 3)),)


def test_head_of_the_hello_world_chain() -> None:
    # Four buffers of 16 after rounding, of which at most two live at once.
    assert plan(chain(1, 16, 16, 1)).head == 32


def test_a_residual_branch_stays_alive_until_it_is_added() -> None:
    tensors = [T([100]), T([200]), T([200]), T([100])]
    operators = [Op("RELU", [0], [1]), Op("RELU", [1], [2]), Op("ADD", [0, 2], [3])]
    graph = network(G(tensors, operators, [0], [3]))
    assert lifetimes(graph).tensors == (((0, 3), (1, 2), (2, 3), (3, 3)),)
    # 112 + 208 + 208 at step 2.
    assert plan(graph).head == 528


def buffers(*rows: tuple[int, int, int]) -> list[PlannedBuffer]:
    return [PlannedBuffer((0, i), None, size, a, b, -1) for i, (size, a, b) in enumerate(rows)]


def test_of_equal_sizes_the_later_is_placed_first() -> None:
    assert [b.offset for b in place(buffers((32, 0, 1), (32, 0, 1))).buffers] == [32, 0]


def test_the_first_gap_that_fits_is_taken_not_the_best() -> None:
    # By size: 96 at 0; 64 (steps 5-6) at 0; 48 beside the 96 at 96, above the later 64 it would
    # fit at 64, but it lives with both; 16 lives with the 64 and the 48: the gap 64..96 is first.
    rows = buffers((96, 0, 3), (64, 5, 6), (48, 3, 5), (16, 5, 5))
    assert [b.offset for b in place(rows).buffers] == [0, 0, 96, 64]


def test_buffers_that_nothing_touches_still_raise_the_head() -> None:
    graph = G([T([16]), T([16]), T([4096])], [Op("RELU", [0], [1])], [0], [1])
    assert plan(network(graph)).head == 4096


def test_constants_variables_and_handles_are_not_planned() -> None:
    tensors = [
        T([16]),
        T([16], data=16),
        T([64], variable=True),
        T([], "RESOURCE"),
        T([0, 4]),
        T([16]),
    ]
    operators = [Op("VAR_HANDLE", [], [3]), Op("ADD", [0, 1], [5])]
    planned = plan(network(G(tensors, operators, [0], [5]))).buffers
    assert [buffer.tensor for buffer in planned] == [(0, 0), (0, 5)]


def test_offline_offsets_are_kept_and_placed_first() -> None:
    stored = struct.pack("<6i", 1, 1, 3, -1, 0, 32)
    graph = G([T([16])] * 3, [Op("RELU", [0], [1]), Op("RELU", [1], [2])], [0], [2])
    result = plan(network(graph, metadata={"OfflineMemoryAllocation": stored}))
    assert [buffer.offset for buffer in result.buffers] == [16, 0, 32]
    assert result.head == 48


def test_a_variable_with_an_offline_offset_is_planned() -> None:
    stored = struct.pack("<5i", 1, 1, 2, 64, -1)
    graph = G([T([16], variable=True), T([16])], [Op("RELU", [0], [1])], [], [1])
    result = plan(network(graph, metadata={"OfflineMemoryAllocation": stored}))
    assert [(buffer.tensor, buffer.offset) for buffer in result.buffers] == [
        ((0, 0), 64),
        ((0, 1), 0),
    ]


def test_a_branch_lives_inside_the_operator_that_calls_it() -> None:
    branch = Op(
        "IF", [0, 1], [2], {"then_subgraph_index": 1, "else_subgraph_index": 2}, "IfOptions"
    )
    main = G([T([], "BOOL"), T([16]), T([16])], [branch], [0, 1], [2])
    inner = G([T([16]), T([16])], [Op("RELU", [0], [1])], [0], [1])
    # Step 1 is the IF; then: enter at 2, RELU at 3; else: enter at 4, RELU at 5.
    assert lifetimes(network(main, inner, inner)).tensors == (
        ((0, 5), (0, 5), (1, 5)),
        ((2, 3), (3, 3)),
        ((4, 5), (5, 5)),
    )


# The head of the reference kernels is the plan of the activations where no operator of the
# model asks for scratch buffers.
WITH_SCRATCH = {"UNIDIRECTIONAL_SEQUENCE_LSTM", "TRANSPOSE_CONV", "SVDF"}


@pytest.mark.corpus
def test_heads_of_public_models_equal_the_measured_ones(shared: Path) -> None:
    compared = 0
    for row in json.loads((shared / "models/arena_truth.json").read_text()):
        content = (shared / "models" / row["file"]).read_bytes()
        model = read_network(row["file"], content)
        codes = {operator.code for graph in model.subgraphs for operator in graph.operators}
        if row["cortex_m4_reference"] is None or codes & WITH_SCRATCH:
            continue
        assert plan(model).head == row["cortex_m4_reference"]["head"], row["file"]
        compared += 1
    assert compared > 100
