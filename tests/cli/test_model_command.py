import json
from pathlib import Path

import pytest

from mapinspect.cli.run import run
from tests.model_builder import G, Op, T, write_model
from tests.single_operators import convolution, tensor


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "net.tflite"
    path.write_bytes(convolution("CONV_2D", "INT8", "INT8"))
    return path


def test_json_has_the_documented_form(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["model", str(model), "--target", "cortex-m4", "--kernels", "reference"]
    assert run([*command, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["format"], document["version"]) == ("mapinspect-model", 1)
    arena = document["arena"]
    assert set(arena) == {
        "nonpersistent",
        "persistent",
        "used",
        "smallest",
        "exact",
        "target",
        "kernels",
        "reasons",
    }
    assert arena["used"] == arena["nonpersistent"] + arena["persistent"]
    assert (arena["exact"], arena["target"], arena["kernels"]) == (True, "cortex-m4", "reference")
    # 6 filters of 3x3x4 int8, 6 biases of int32.
    assert document["weights"] == {"bytes": 240, "by_type": {"INT32": 24, "INT8": 216}}
    for entry in document["tensors"]:
        assert set(entry) == {"name", "shape", "type", "bytes", "offset", "first", "last"}
    assert [entry["offset"] for entry in document["tensors"]][1:3] == [None, None]


@pytest.mark.parametrize("name", ["text", "json", "csv", "markdown"])
def test_every_format_ends_with_a_line_feed(
    model: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["model", str(model), "--format", name]) == 0
    assert capsys.readouterr().out.endswith("\n")


def test_text_ends_with_the_line_to_paste(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["model", str(model), "--target", "cortex-m4", "--kernels", "cmsis-nn"])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("constexpr int kTensorArenaSize = ")
    declared, smallest = int(last.split()[4].rstrip(";")), int(last.split()[-1])
    assert smallest <= declared < smallest + 16
    assert declared % 16 == 0


def test_text_fits_in_80_columns(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["model", str(model)])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines[1:] if len(line) > 80] == []


def test_a_custom_operator_is_incomplete(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "custom.tflite"
    operator = Op("CUSTOM", [0], [1], custom="Mine\x1b[31m")
    path.write_bytes(write_model(G([tensor((1, 8))] * 2, [operator], [0], [1])))
    assert run(["model", str(path)]) == 2
    out = capsys.readouterr().out
    assert "not exact: the custom operator Mine\\x1b[31m is not modelled" in out


def test_several_models_in_one_arena(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", str(model), str(model), "--share-arena", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    one, two = (entry["arena"] for entry in document["models"])
    shared = document["shared_arena"]
    assert shared["nonpersistent"] == max(one["nonpersistent"], two["nonpersistent"])
    assert shared["persistent"] == one["persistent"] + two["persistent"]


def test_an_unreadable_model_is_one_line_and_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.tflite"
    path.write_bytes(b"\x1c\0\0\0TFL3" + bytes(20))
    assert run(["model", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1


def test_an_unknown_target_is_a_usage_error(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["model", str(model), "--target", "z80"]) == 2
    assert "unknown target z80" in capsys.readouterr().err


def test_the_report_never_overwrites_the_model(model: Path) -> None:
    before = model.read_bytes()
    assert run(["model", str(model), "--output", str(model)]) == 2
    assert model.read_bytes() == before


def test_names_are_printable_in_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "names.tflite"
    evil = "\x1b]0;x\x07<script>|`"
    tensors = [T([8], name=evil), T([8], name="=cmd()")]
    path.write_bytes(write_model(G(tensors, [Op("RELU", [0], [1])], [0], [1])))
    for name in ("text", "json", "csv", "markdown"):
        run(["model", str(path), "--format", name])
        assert "\x1b" not in capsys.readouterr().out
