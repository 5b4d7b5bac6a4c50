from collections.abc import Callable

from mapinspect.analysis.arena.cost import cost
from mapinspect.analysis.arena.profile import profile
from mapinspect.model.layer import ModelCost
from mapinspect.readers.source import SourceFile
from mapinspect.readers.tflite_sketch import read_sketch
from mapinspect.reports import model_csv, model_json, model_markdown, model_text

# A residual block: two convolutions, one of them skipped over, then pooled and classified.
TABLE = """name,operator,output,kernel,stride,padding,inputs
input,INPUT,1x16x16x4,,,,
one,CONV_2D,1x16x16x8,3x3,,,
two,CONV_2D,1x16x16x8,3x3,,,
sum,ADD,1x16x16x8,,,,one two
pool,AVERAGE_POOL_2D,1x1x1x8,16x16,16x16,VALID,
dense,FULLY_CONNECTED,1x3,,,,
probabilities,SOFTMAX,1x3,,,,
"""


def residual(target: str = "cortex-m4", kernels: str = "cmsis-nn") -> ModelCost:
    network = read_sketch(SourceFile("residual.csv", TABLE.encode()))
    return cost(network, profile(target, kernels))


def test_text(golden: Callable[[str, str], None]) -> None:
    golden("model_residual.txt", model_text.render([residual()]))


def test_text_with_versions_in_question(golden: Callable[[str, str], None]) -> None:
    golden("model_residual_esp32s3.txt", model_text.render([residual("esp32s3", "esp-nn")]))


def test_json(golden: Callable[[str, str], None]) -> None:
    golden("model_residual.json", model_json.render([residual()]))


def test_csv(golden: Callable[[str, str], None]) -> None:
    golden("model_residual.csv", model_csv.render([residual()]))


def test_markdown(golden: Callable[[str, str], None]) -> None:
    golden("model_residual.md", model_markdown.render([residual()]))
