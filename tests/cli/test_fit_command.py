import json
from pathlib import Path

import pytest

from mapinspect.analysis.arena.fit import registered_operators, target_of
from mapinspect.cli.run import run
from mapinspect.readers.parts import read_part

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "fixtures/models"
GOOD = str(ROOT / "fixtures/built/good/mapinspect.toml")
TWO_CONV = """operator,output,kernel
INPUT,1x32x32x1,
CONV_2D,1x32x32x16,3x3
CONV_2D,1x32x32x32,3x3
"""


def answer(
    capsys: pytest.CaptureFixture[str], *command: str
) -> tuple[int, list[dict[str, object]]]:
    status = run(["fit", *command, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert (document["format"], document["version"]) == ("mapinspect-fit", 1)
    return status, document["fits"]


@pytest.mark.parametrize(
    ("part", "target"),
    [
        ("GD32F303xC", "cortex-m4"),
        ("ESP32-S3", "esp32s3"),
        ("ESP32", "esp32"),
        ("ESP32-C3", "esp32c3"),
        ("STM32H743ZI", "cortex-m7"),
    ],
)
def test_a_part_stands_for_a_target(part: str, target: str) -> None:
    assert target_of(read_part(part)) == target


def test_the_chapters_two_conv_network_does_not_fit_a_gd32f303(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "cnn.csv"
    table.write_text(TWO_CONV)
    status, (fit,) = answer(capsys, str(table), "--mcu", "GD32F303xC")
    assert status == 1
    assert fit["verdict"] == "does not fit"


def test_a_model_that_fits_a_part(capsys: pytest.CaptureFixture[str]) -> None:
    model = MODELS / "kws_int8.tflite"
    status, (fit,) = answer(capsys, str(model), "--mcu", "STM32L476RE")
    assert (status, fit["verdict"]) == (0, "fits")
    flash, arena = fit["memories"]
    assert flash["needed"] == model.stat().st_size
    assert (arena["memory"], arena["limit"]) == ("SRAM1", 96 * 1024)


def test_the_model_of_an_image_fits_in_its_own_place(capsys: pytest.CaptureFixture[str]) -> None:
    status, (fit,) = answer(capsys, str(MODELS / "kws_int8.tflite"), "--config", GOOD)
    assert (fit["verdict"], fit["replaced"], fit["missing_operators"]) == ("fits", "kws", [])
    assert status == 0
    # The head of its plan (12,000 bytes) is what the plan-only runtime of the firmware needs.
    assert fit["arena"] == 12_000


def test_a_larger_model_breaks_the_flash_limit(capsys: pytest.CaptureFixture[str]) -> None:
    small, large = MODELS / "kws_int8.tflite", MODELS / "kws_float32.tflite"
    status, (own, other) = answer(capsys, str(small), str(large), "--config", GOOD)
    assert status == 1
    flash = [fit["memories"][0] for fit in (own, other)]
    assert flash[1]["needed"] - flash[0]["needed"] == large.stat().st_size - small.stat().st_size
    assert (flash[0]["verdict"], flash[1]["verdict"]) == ("fits", "does not fit")


def test_an_operator_that_the_image_was_never_seen_to_run_is_a_doubt(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, (fit,) = answer(capsys, str(MODELS / "svdf_int8.tflite"), "--config", GOOD)
    assert (status, fit["verdict"]) == (2, "unknown")
    assert "SVDF" in " ".join(fit["reasons"])


def test_registered_operators_are_read_off_mangled_names() -> None:
    symbols = (
        "_ZN6tflite16Register_CONV_2DEv",
        "_ZN6tflite28Register_FULLY_CONNECTED_INT8Ev",
        "_ZN6tflite5micro12Register_ADDEv",
        "_ZN6tflite11tflm_signal15Register_WINDOWEv",
        "Register_FAKE",
    )
    found = registered_operators(symbols)
    assert {"CONV_2D", "FULLY_CONNECTED", "ADD", "WINDOW"} == set(found)


def test_an_image_and_a_part_at_once_are_a_usage_error() -> None:
    assert run(["fit", "x.tflite", "--mcu", "ESP32", "--config", GOOD]) == 2
    assert run(["fit", "x.tflite"]) == 2


def test_text_names_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fit", str(MODELS / "kws_int8.tflite"), "--mcu", "STM32L476RE"]) == 0
    out = capsys.readouterr().out
    assert "FITS  " in out
    assert "declare an arena of" in out
