import struct
from pathlib import Path

import flatbuffers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapinspect.errors import InputError
from mapinspect.model.network import Network
from mapinspect.readers.tflite import read_network
from mapinspect.readers.tflite_schema import schema
from tests.model_builder import G, Op, T, Writer, enum, tflite, write_model

SMALL = write_model(
    G(
        [T([1, 8], name="in"), T([4, 8], data=32), T([4], "INT32", data=16), T([1, 4])],
        [Op("FULLY_CONNECTED", [0, 1, 2], [3], {"keep_num_dims": True}, "FullyConnectedOptions")],
        [0],
        [3],
    ),
    description="small",
)
# Legal though odd; every other file of the folder is damaged (INDEX.md of the collection).
CONTROLS = {
    "t_bufdata_long",
    "t_name_ansi",
    "t_name_badutf8",
    "t_name_gha",
    "t_name_html",
    "t_name_nul",
    "t_ok_built",
    "t_zero_dim",
}


def test_a_small_model_is_read_whole() -> None:
    network = read_network("small.tflite", SMALL)
    (graph,) = network.subgraphs
    assert (network.version, network.description, network.size) == (3, "small", len(SMALL))
    assert (graph.inputs, graph.outputs) == ((0,), (3,))
    assert [tensor.bytes for tensor in graph.tensors] == [8, 32, 16, 4]
    assert [tensor.constant for tensor in graph.tensors] == [False, True, True, False]
    assert graph.tensors[0].name == "in"
    (operator,) = graph.operators
    assert operator.code == "FULLY_CONNECTED"
    assert operator.options["keep_num_dims"] is True
    assert operator.options["weights_format"] == "DEFAULT"


def test_constant_data_lies_where_the_record_says() -> None:
    model = write_model(G([T([3], data=b"abc")], [], [], [0]))
    tensor = read_network("m", model).subgraphs[0].tensors[0]
    assert model[tensor.data_offset : tensor.data_offset + tensor.data_size] == b"abc"


def models(shared: Path) -> list[Path]:
    return sorted((shared / "models").rglob("*.tflite"))


def same(path: Path, network: Network) -> None:
    """Compare every record with what the tflite package reads."""
    oracle = tflite.Model.GetRootAs(path.read_bytes(), 0)
    assert len(network.subgraphs) == oracle.SubgraphsLength()
    for graph in network.subgraphs:
        other = oracle.Subgraphs(graph.index)
        assert list(graph.inputs) == list(other.InputsAsNumpy())
        assert list(graph.outputs) == list(other.OutputsAsNumpy())
        assert len(graph.tensors) == other.TensorsLength()
        for tensor in graph.tensors:
            entry = other.Tensors(tensor.index)
            assert tensor.shape == tuple(entry.Shape(i) for i in range(entry.ShapeLength()))
            assert enum("TensorType", tensor.type) == entry.Type()
            assert tensor.name.encode("utf-8", "surrogateescape") == (entry.Name() or b"")
            assert (tensor.buffer, tensor.is_variable) == (entry.Buffer(), entry.IsVariable())
            assert tensor.data_size == oracle.Buffers(entry.Buffer()).DataLength()
            quantization = entry.Quantization()
            if tensor.quantization is None:
                assert quantization is None
                continue
            assert len(tensor.quantization.scales) == quantization.ScaleLength()
            assert len(tensor.quantization.zero_points) == quantization.ZeroPointLength()
        for operator in graph.operators:
            entry = other.Operators(operator.index)
            code = oracle.OperatorCodes(entry.OpcodeIndex())
            number = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
            assert enum("BuiltinOperator", operator.code) == number
            assert list(operator.inputs) == [entry.Inputs(i) for i in range(entry.InputsLength())]
            assert list(operator.outputs) == list(entry.OutputsAsNumpy())


@pytest.mark.corpus
def test_public_models_read_as_the_tflite_package_reads_them(shared: Path) -> None:
    for path in models(shared):
        same(path, read_network(path.name, path.read_bytes()))


@pytest.mark.corpus
def test_convolution_options_read_as_the_tflite_package_reads_them(shared: Path) -> None:
    path = shared / "models/mlcommons-tiny/kws_ref_model.tflite"
    graph = read_network(path.name, path.read_bytes()).subgraphs[0]
    other = tflite.Model.GetRootAs(path.read_bytes(), 0).Subgraphs(0)
    for operator in graph.operators:
        if operator.code != "DEPTHWISE_CONV_2D":
            continue
        union = other.Operators(operator.index).BuiltinOptions()
        options = tflite.DepthwiseConv2DOptions()
        options.Init(union.Bytes, union.Pos)
        assert operator.options["stride_w"] == options.StrideW()
        assert operator.options["dilation_h_factor"] == options.DilationHFactor()
        assert operator.options["depth_multiplier"] == options.DepthMultiplier()
        assert enum("Padding", str(operator.options["padding"])) == options.Padding()


def test_every_operator_and_type_of_the_tflite_package_has_its_name() -> None:
    known = schema()
    for name, number in vars(tflite.BuiltinOperator).items():
        if not name.startswith("_"):
            assert known.operators[number] == name
    for name, number in vars(tflite.TensorType).items():
        if not name.startswith("_"):
            assert known.types[number].name == name
    for name, number in vars(tflite.BuiltinOptions).items():
        if not name.startswith("_"):
            assert known.options[number] == name


@pytest.mark.corpus
def test_damaged_models_are_refused_in_one_line_and_controls_are_read(shared: Path) -> None:
    for path in sorted((shared / "bad_inputs/tflite").glob("*.tflite")):
        if path.stem in CONTROLS:
            read_network(path.name, path.read_bytes())
            continue
        with pytest.raises(InputError) as caught:
            read_network(path.name, path.read_bytes())
        assert str(caught.value).startswith(f"{path.name}: ")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("length", range(len(SMALL)))
def test_a_truncated_model_is_refused_or_lacks_only_padding(length: int) -> None:
    try:
        network = read_network("cut.tflite", SMALL[:length])
    except InputError:
        return
    assert network.subgraphs == read_network("cut.tflite", SMALL).subgraphs


@given(st.integers(0, len(SMALL) - 1), st.integers(0, 255))
def test_only_input_errors_come_out_of_changed_bytes(position: int, value: int) -> None:
    content = SMALL[:position] + bytes([value]) + SMALL[position + 1 :]
    try:
        read_network("changed.tflite", content)
    except InputError:
        return


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        pytest.param(T([1, -4]), "size -4 in dimension 1", id="a negative dimension"),
        pytest.param(T([1, -1]), "unknown size", id="a dimension left open"),
        pytest.param(T([65536, 65536]), "more elements", id="a shape beyond 32 bits"),
        pytest.param(T([2**30, 2]), "more elements", id="one element above the limit"),
        pytest.param(T([4], buffer=99), "names buffer 99", id="a buffer that does not exist"),
        pytest.param(T([17], data=16), "needs 17 bytes", id="a constant one byte short"),
        pytest.param(T([3], "INT4", data=1), "needs 2 bytes", id="int4 data one byte short"),
    ],
)
def test_a_tensor_is_refused_for(tensor: T, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_network("m", write_model(G([tensor], [])))


def test_a_constant_longer_than_its_shape_is_an_oddity() -> None:
    (oddity,) = read_network("m", write_model(G([T([4], data=16)], []))).oddities
    assert "needs 4 bytes, its buffer 1 has 16" in oddity


@pytest.mark.parametrize(
    ("name", "shape", "width"),
    [
        ("FLOAT32", [3], 12),
        ("FLOAT16", [3], 6),
        ("BFLOAT16", [3], 6),
        ("INT4", [3], 3),
        ("INT8", None, 1),
        ("BOOL", [3], 3),
        ("INT16", [3], 6),
        ("INT32", [3], 12),
        ("INT64", [3], 24),
        ("FLOAT64", [3], 24),
        ("COMPLEX128", [3], 48),
        ("STRING", [3], None),
        ("RESOURCE", [], 4),
    ],
)
def test_bytes_in_ram_follow_type_and_shape(
    name: str, shape: list[int] | None, width: int | None
) -> None:
    network = read_network("m", write_model(G([T(shape, name)], [])))
    assert network.subgraphs[0].tensors[0].bytes == width


def reshape(shape: list[int]) -> bytes:
    tensors = [T([2, 6]), T([len(shape)], "INT32", data=4 * len(shape)), T(shape)]
    return write_model(G(tensors, [Op("RESHAPE", [0, 1], [2])], [0], [2]))


def test_the_open_dimension_of_a_reshape_is_resolved() -> None:
    tensor = read_network("m", reshape([-1, 4])).subgraphs[0].tensors[2]
    assert (tensor.shape, tensor.bytes) == ((-1, 4), 12)


@pytest.mark.parametrize("shape", [[-1, 5], [-1, -1]], ids=["no whole number", "two of them"])
def test_an_open_dimension_that_cannot_be_resolved_is_refused(shape: list[int]) -> None:
    with pytest.raises(InputError, match="unknown size"):
        read_network("m", reshape(shape))


def branch(then: int, other: int) -> Op:
    options = {"then_subgraph_index": then, "else_subgraph_index": other}
    return Op("IF", [0], [0], options, "IfOptions")


@pytest.mark.parametrize(
    ("graphs", "words"),
    [
        pytest.param([[branch(7, 1)], []], "calls subgraph 7 of 2", id="no such subgraph"),
        pytest.param([[branch(1, 1)], [branch(0, 0)]], "calls itself", id="a circle"),
        pytest.param(
            [[branch(i + 1, i + 1)] for i in range(40)] + [[]], "control flow", id="2^40 visits"
        ),
        pytest.param(
            [[Op("CALL_ONCE", [], [], {"init_subgraph_index": i + 1}, "CallOnceOptions")]
             for i in range(80)] + [[]],
            "deep",
            id="80 levels",
        ),
    ],
)  # fmt: skip
def test_control_flow_is_refused_for(graphs: list[list[Op]], words: str) -> None:
    model = write_model(*(G([T([], "BOOL")], operators) for operators in graphs))
    with pytest.raises(InputError, match=words):
        read_network("m", model)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\x7fELF\2\1\1" + bytes(60), "give it as --elf"),
        (b"PK\x03\x04" + bytes(60), "zip archive"),
        (b"\x89HDF\r\n\x1a\n" + bytes(60), "HDF5"),
        (bytes([24, 0, 0, 0]) + b"ET12" + bytes(60), "ExecuTorch"),
        (bytes([8, 10, 0x12, 7]) + b"pytorch\x1a" + bytes(60), "ONNX"),
        (b"const unsigned char g_model[] = {\n0x1c, 0x00,\n", "C source text"),
        (b"just a text\n", "text file"),
        (bytes(4) + SMALL, "size-prefixed"),
        (b"abc", "too short"),
    ],
)
def test_another_file_gets_a_helpful_refusal(content: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_network("m", content)


def plan_bytes(count: int, *offsets: int) -> bytes:
    return struct.pack(f"<{3 + len(offsets)}i", 1, 1, count, *offsets)


@pytest.mark.parametrize(
    ("stored", "plan", "fault"),
    [
        (plan_bytes(4, 0, -1, -1, 64), (0, -1, -1, 64), None),
        (plan_bytes(3, 0, -1, -1), None, "has 3 offsets for 4 tensors"),
        (plan_bytes(4, 0, -1), None, "too few for 4 offsets"),
        (plan_bytes(4, 0, -7, 0, 0), None, "the offset -7"),
        (b"abc", None, "too few for its header"),
    ],
    ids=["four offsets", "three offsets", "cut short", "a negative offset", "no header"],
)
def test_the_offline_plan_is_read(
    stored: bytes, plan: tuple[int, ...] | None, fault: str | None
) -> None:
    graph = G([T([4])] * 4, [], [0], [3])
    network = read_network("m", write_model(graph, metadata={"OfflineMemoryAllocation": stored}))
    assert network.offline_plan == plan
    assert network.metadata == ("OfflineMemoryAllocation",)
    assert (network.offline_fault is None) if fault is None else fault in network.offline_fault


def external_model(data: bytes, offset: int | None = None) -> bytes:
    """A model whose buffer 1 lies behind the flatbuffer, as beyond 2 GiB."""
    builder = flatbuffers.Builder(512)
    writer = Writer()
    writer.builder = builder
    name, shape = builder.CreateString("w"), writer.numbers([len(data)])
    entry = writer.table(
        "Tensor", Name=name, Shape=shape, Type=enum("TensorType", "INT8"), Buffer=1
    )
    tensors, none = writer.tables([entry]), writer.numbers([])
    graph = writer.table("SubGraph", Tensors=tensors, Inputs=none, Outputs=none)
    buffers = [writer.table("Buffer"), writer.table("Buffer", Offset=MARK, Size=len(data))]
    vectors = {"Subgraphs": writer.tables([graph]), "Buffers": writer.tables(buffers)}
    builder.Finish(writer.table("Model", Version=3, **vectors), b"TFL3")
    content = bytes(builder.Output())
    where = len(content) if offset is None else offset
    return content.replace(struct.pack("<Q", MARK), struct.pack("<Q", where)) + data


MARK = 0x1122334455667788


def test_constants_behind_the_flatbuffer_are_found() -> None:
    content = external_model(b"weights!")
    tensor = read_network("m", content).subgraphs[0].tensors[0]
    assert (tensor.constant, tensor.external) == (True, True)
    assert content[tensor.data_offset : tensor.data_offset + tensor.data_size] == b"weights!"


@pytest.mark.parametrize(
    ("offset", "words"),
    [(2, "inside the flatbuffer"), (1 << 40, "past the end"), ((1 << 64) - 8, "past the end")],
)
def test_constants_elsewhere_are_refused(offset: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_network("m", external_model(b"weights!", offset))


def test_custom_operators_keep_their_name_and_options() -> None:
    graph = G([T([4])] * 2, [Op("CUSTOM", [0], [1], custom="TFLite_Mine")], [0], [1])
    (operator,) = read_network("m", write_model(graph)).subgraphs[0].operators
    assert (operator.code, operator.custom, operator.options) == ("CUSTOM", "TFLite_Mine", {})


def test_more_activations_than_can_be_planned_are_refused() -> None:
    graph = G([T([1], scales=None, zero_points=None)] * 5000, [])
    with pytest.raises(InputError, match="5000 activations"):
        read_network("m", write_model(graph))
