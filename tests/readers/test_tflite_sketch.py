import pytest

from mapinspect.errors import InputError
from mapinspect.readers.source import SourceFile
from mapinspect.readers.tflite_sketch import read_sketch

TOML = """version = 1
type = "FLOAT32"

[[layer]]
operator = "INPUT"
output = "1x8x8x3"

[[layer]]
name = "a"
operator = "CONV_2D"
output = "1x4x4x6"
kernel = "3x3"
stride = "2x2"

[[layer]]
name = "b"
operator = "DEPTHWISE_CONV_2D"
output = "1x4x4x6"
kernel = "3"

[[layer]]
operator = "ADD"
output = "1x4x4x6"
inputs = ["a", "b"]
"""


def read(text: str, path: str = "t.csv") -> None:
    read_sketch(SourceFile(path, text.encode()))


def test_a_toml_table_becomes_a_graph_with_its_weights() -> None:
    network = read_sketch(SourceFile("t.toml", TOML.encode()))
    (graph,) = network.subgraphs
    assert [operator.code for operator in graph.operators] == [
        "CONV_2D",
        "DEPTHWISE_CONV_2D",
        "ADD",
    ]
    assert [tensor.shape for tensor in graph.tensors if tensor.constant] == [
        (6, 3, 3, 3),
        (6,),
        (1, 3, 3, 6),
        (6,),
    ]
    convolved, depthwise = graph.operators[0].outputs[0], graph.operators[1].outputs[0]
    assert graph.operators[2].inputs == (convolved, depthwise)
    assert (graph.inputs, graph.outputs) == ((0,), graph.operators[2].outputs)
    assert network.sketched


HEAD = "operator,output,kernel,stride,padding,inputs,type\n"
START = HEAD + "INPUT,1x8x8x3,,,,,\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (HEAD + "CONV_2D,1x8x8x3,3x3,,,,\n", 2, "nothing before it"),
        (START + "CONV2D,1x8x8x3,3x3,,,,\n", 3, "unknown operator 'CONV2D'"),
        (START + "CONV_2D,8 by 8,3x3,,,,\n", 3, "the output '8 by 8'"),
        (START + "CONV_2D,1x9x8x4,3x3,,,,\n", 3, "makes 9 of 8 in dimension 1"),
        (START + "CONV_2D,1x6x6x4,3x3x3,,VALID,,\n", 3, "the kernel '3x3x3'"),
        (START + "CONV_2D,1x8x8x4,3x3,,HALF,,\n", 3, "the padding 'HALF'"),
        (START + "DEPTHWISE_CONV_2D,1x8x8x4,3x3,,,,\n", 3, "makes 4 channels of 3"),
        (START + "ADD,1x8x8x3,,,,nobody,\n", 3, "unknown layer 'nobody'"),
        (START + "ADD,1x8x8x3,,,,,INT3\n", 3, "the type 'INT3'"),
        (START + "TRANSPOSE_CONV,1x8x8x3,,,,,\n", 3, "cannot describe"),
        (START + "RELU,100000x100000x8x3,,,,,\n", 3, "more elements"),
        ("operator,outptu\nINPUT,1x2\n", 1, "unknown columns outptu"),
        (HEAD, None, "has no layers"),
        (START + 'RELU,"1x8\n', 3, "is no CSV"),
    ],
)
def test_a_bad_row_is_refused_with_its_line(text: str, line: int | None, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        read(text)
    assert caught.value.line == line


def test_an_unknown_key_of_a_toml_table_is_refused() -> None:
    with pytest.raises(InputError, match="filters"):
        read(TOML + "filters = 3\n", "t.toml")


def test_valid_padding_shrinks_the_output() -> None:
    read(START + "CONV_2D,1x6x6x4,3x3,,VALID,,\n")
