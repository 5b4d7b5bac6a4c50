"""`check --measured`, end to end: the three columns, other builds, dumps of RAM."""

import json
from pathlib import Path

import pytest

from mapinspect.cli.run import run

BUILT = Path(__file__).parents[2] / "fixtures" / "built"
LOG = BUILT / "qemu" / "qemu.log"
BUILD_ID = LOG.read_text().split("\n")[0].removeprefix("build_id = ")
HEAD = f"""\
version = 1
[inputs]
elf = "{BUILT}/qemu/app.elf"
map = "{BUILT}/qemu/app.map"
"""
MODEL = """\
models = [{{ name = "kws", file = "{file}", symbol = "g_kws_model", arena = "tensor_arena"{more} }}]
"""


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Run `check` under a table; the status, the JSON report and stderr."""

    def run_check(table: str, *options: str) -> tuple[int, dict, str]:
        config = tmp_path / "mapinspect.toml"
        config.write_text(HEAD + table, encoding="utf-8")
        status = run(["check", f"--config={config}", "--format=json", *options])
        said = capsys.readouterr()
        return status, json.loads(said.out), said.err

    return run_check


def model(runtime: str = "") -> str:
    file = BUILT.parent / "models" / "kws_int8.tflite"
    return MODEL.format(file=file, more=f', runtime = "{runtime}"' if runtime else "")


def test_every_row_shows_what_the_device_measured(check) -> None:
    status, report, _ = check(model("plan-only"), f"--measured={LOG}")
    assert (status, report["verdict"]) == (0, "pass")
    rows = {(line["memory"], line["row"]): line for line in report["budget"]}
    # The peaks are the lines of qemu.log; the reserves are _Min_Stack_Size and _Min_Heap_Size.
    wanted = {
        "arena": (12_000, 12_288, 12_000),
        "heap": (None, 4096, 520),
        "stack": (None, 4096, 488),
    }
    for row, numbers in wanted.items():
        line = rows["SRAM1", row]
        assert (line["estimated"], line["linked"], line["measured"]) == numbers
    assert {item["build"] for item in report["measured"]} == {"same"}
    assert ("measured", str(LOG)) in [
        (item["role"], str(BUILT / "qemu" / Path(item["path"]).name)) for item in report["inputs"]
    ]


def test_a_measurement_of_this_build_decides_a_lower_bound(check, tmp_path: Path) -> None:
    status, report, _ = check(model())
    assert (status, report["verdict"]) == (2, "unknown")
    status, report, _ = check(model(), f"--measured={LOG}")
    assert (status, report["verdict"]) == (0, "pass")
    unsaid = tmp_path / "unsaid.log"
    unsaid.write_text("\n".join(LOG.read_text().split("\n")[1:]))
    assert check(model(), f"--measured={unsaid}")[0] == 2


def test_a_log_of_another_build_is_undecided_or_refused(check) -> None:
    other = [f"--elf={BUILT}/good/app.elf", f"--map={BUILT}/good/app.map", f"--measured={LOG}"]
    status, report, _ = check("", *other)
    assert (status, report["verdict"]) == (2, "unknown")
    assert [item["check"] for item in report["findings"] if item["severity"] == "undecided"] == [
        "measurement-stale"
    ]
    assert all(line["measured"] is None for line in report["budget"])
    status, report, errors = check('stale = "refuse"\n', *other)
    assert (status, report["verdict"]) == (2, "unknown")
    assert BUILD_ID in errors


def dump(tmp_path: Path, used: int) -> None:
    """A dump of the main stack: 4096 bytes up to the end of SRAM1, painted with 0xAA."""
    (tmp_path / "stack.bin").write_bytes(b"\xaa" * (4096 - used) + b"\x01" * used)


ROW = f"""\
[[measured]]
file = "stack.bin"
bottom = "0x20017000"
top = "_estack"
fill = "0xAA"
iterations = 5000
build-id = "{BUILD_ID}"
[[budget]]
id = "stack"
kind = "stack"
headroom = 1024
"""


@pytest.mark.parametrize(("used", "expected"), [(3072, 0), (3073, 1)])
def test_a_dump_of_ram_against_the_headroom(
    check, tmp_path: Path, used: int, expected: int
) -> None:
    dump(tmp_path, used)
    status, report, _ = check(ROW)
    assert status == expected
    (item,) = report["measured"]
    assert (item["bytes"], item["reserved"], item["build"]) == (used, "main", "same")


def test_a_dump_without_paint_decides_nothing(check, tmp_path: Path) -> None:
    (tmp_path / "stack.bin").write_bytes(b"\xa5" * 4096)  # painted with another byte, or full
    status, report, _ = check(ROW.split("[[budget]]", maxsplit=1)[0])
    assert (status, report["verdict"]) == (2, "unknown")
    (finding,) = [item for item in report["findings"] if item["severity"] == "undecided"]
    assert finding["check"] == "measured-over-reserve"
    assert "used all 4096 bytes" in finding["message"]


def test_too_few_iterations_warn_and_fail_on_demand(check, tmp_path: Path) -> None:
    dump(tmp_path, 10)
    table = ROW.replace("5000", "5")
    assert check(table)[0] == 0
    status, report, _ = check(table, "--fail-on=warning")
    assert status == 1
    assert report["findings"][0]["check"] == "measurement-doubtful"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        pytest.param('[[measured]]\nfile = "x.bin"\nsymbol = "a"\ntop = "b"\nbottom = "c"\n',
                     "top is given beside symbol", id="two ways to say where"),
        pytest.param('[[measured]]\nfile = "x.bin"\nsymbol = "a"\ntask-unit = 4\n',
                     "task-unit is for a log", id="a log's key at a dump"),
        pytest.param('[[measured]]\nfile = "x.log"\nfill = "0xAA"\n',
                     "fill is for a dump", id="a dump's key at a log"),
        pytest.param('[[measured]]\nfile = "x.bin"\nsymbol = "a"\nfill = "0xA"\n',
                     "fill is '0xA'", id="half a byte"),
        pytest.param('[[measured]]\nfile = "x.bin"\nsymbol = "a"\nduration = "long"\n',
                     "duration is 'long'", id="no duration"),
        pytest.param('[[measured]]\nfile = "x.log"\ntask-unit = 0\n',
                     "task-unit is 0", id="a unit of nothing"),
        pytest.param('[[measured]]\nfile = "x.bin"\ntop = "b"\n',
                     "has top and no bottom", id="half a place"),
        pytest.param('[[budget]]\nid = "f"\nkind = "weights"\nheadroom = 4\n',
                     "headroom needs a peak", id="headroom of what nobody measures"),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_meant_are_refused_with_their_line(
    check, table: str, message: str
) -> None:
    status, _, errors = check(table)
    assert status == 2
    assert message in errors
    assert "mapinspect.toml:" in errors


def test_a_log_is_no_place_for_a_report(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(LOG.read_bytes())
    status = run(["check", f"--elf={BUILT}/qemu/app.elf", f"--measured={log}", f"--output={log}"])
    assert status == 2
    assert log.read_bytes() == LOG.read_bytes()
