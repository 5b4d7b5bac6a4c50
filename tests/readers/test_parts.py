"""Parts and their memories; figures by the makers' documents, written out by hand."""

import pytest

from mapinspect.errors import InputError
from mapinspect.model.image import Evidence, Span
from mapinspect.model.part import Part
from mapinspect.readers.parts import read_part, shipped_parts
from mapinspect.readers.source import SourceFile

K = 1024


def table(text: str) -> SourceFile:
    return SourceFile("parts.toml", f"version = 1\n{text}".encode())


@pytest.mark.parametrize(
    ("name", "flash", "ram"),
    [
        # The parts that the project's chapters name, with the corrections of their digest.
        pytest.param("STM32L476RE", 512, {"SRAM1": 96, "SRAM2": 32}, id="STM32L476 with suffix E"),
        pytest.param(
            "STM32L476RGT6", 1024, {"SRAM1": 96, "SRAM2": 32}, id="STM32L476 with suffix G"
        ),
        pytest.param("GD32F303RCT6", 256, {"SRAM": 48}, id="GD32F303xC"),
        pytest.param("STM32F401CCU6", 256, {"SRAM": 64}, id="the generic Cortex-M4, contiguous"),
        pytest.param("STM32L432KC", 256, {"SRAM1": 48, "SRAM2": 16}, id="the same, split"),
        # Datasheets.
        pytest.param("nRF52840-QIAA", 1024, {"RAM": 256}, id="nRF52840"),
        pytest.param("nRF52832_QFAA", 512, {"RAM": 64}, id="nRF52832 AA"),
        pytest.param(
            "RP2040", 0, {"SRAM": 256, "SCRATCH_X": 4, "SCRATCH_Y": 4}, id="RP2040 is 264"
        ),
        pytest.param("STM32F411RET6", 512, {"SRAM": 128}, id="STM32F411xE"),
        pytest.param(
            "stm32g474ret6", 512, {"SRAM1": 80, "SRAM2": 16, "CCM": 32}, id="G474: 128 in 3"
        ),
        pytest.param("ATmega328P-PU", 32, {"SRAM": 2}, id="ATmega328P"),
        pytest.param(
            "STM32H743ZIT6",
            2048,
            {"ITCM": 64, "DTCM": 128, "AXISRAM": 512, "SRAM1": 128, "SRAM2": 128, "SRAM3": 32}
            | {"SRAM4": 64, "BKPSRAM": 4},
            id="STM32H743: 1056 in 7 banks, and the backup",
        ),
        pytest.param(
            "ESP32-S3-WROOM-1-N8R8",
            0,
            {"IRAM": 32, "DIRAM": 416, "DRAM": 64, "RTC_FAST": 8, "RTC_SLOW": 8},
            id="ESP32-S3: 512, and the RTC's",
        ),
    ],
)
def test_a_part_has_its_makers_memories(name: str, flash: int, ram: dict[str, int]) -> None:
    part = read_part(name)
    assert part.total("flash") == flash * K
    assert {b.name: b.span.size // K for b in part.banks if b.kind == "ram"} == ram


def test_banks_say_what_reaches_them() -> None:
    reached = {bank.name: (bank.dma, bank.cacheable) for bank in read_part("STM32H743ZI").banks}
    assert reached["DTCM"] == (False, False)
    assert reached["AXISRAM"] == (True, True)
    assert reached["BKPSRAM"] == (None, None)
    assert {b.name: b.zero_wait for b in read_part("GD32F303VET6").banks}["FLASH"] == 256 * K
    assert {b.name: b.static_limit for b in read_part("ESP32").banks}["SRAM2"] == 160 * K
    ccm = read_part("STM32F407VG").bank_of(Span(0x1000_0000, 4))
    assert ccm is not None
    assert (ccm.name, ccm.dma) == ("CCM", False)


def test_a_bank_is_found_at_each_of_its_addresses_and_counts_once() -> None:
    part = read_part("STM32L432KC")
    for start in (0x1000_0000, 0x2000_C000):
        bank = part.bank_of(Span(start, 16 * K))
        assert bank is not None
        assert bank.name == "SRAM2"
    assert part.bank_of(Span(0x2000_B000, 8 * K)) is None  # across two banks
    assert part.bank_of(Span(0x3000_0000, 1)) is None
    assert part.total("ram") == 64 * K


def test_a_part_gives_regions_for_an_image_without_map() -> None:
    part = read_part("GD32F303RC")
    assert [(r.name, r.span, r.attributes) for r in part.regions()] == [
        ("FLASH", Span(0x0800_0000, 256 * K), "xr"),
        ("SRAM", Span(0x2000_0000, 48 * K), "xrw"),
    ]
    assert part.regions()[0].declared.line is not None


@pytest.mark.parametrize(
    ("name", "near"),
    [
        pytest.param("STM32L476", "STM32L476xE, STM32L476xG", id="without flash size: which?"),
        pytest.param("nrf52832", "nRF52832-xxAA, nRF52832-xxAB", id="two builds of one chip"),
        pytest.param("STM32L467RG", "STM32L476xG", id="two digits swapped"),
        pytest.param("ESP32-C61", "ESP32-C6", id="another number is another part"),
        pytest.param("ESP32-S9", "ESP32-S3", id="nothing may follow ESP32"),
        pytest.param("STM32L476RX", "STM32L476xG", id="no such flash size"),
    ],
)
def test_an_unknown_part_is_refused_with_near_names(name: str, near: str) -> None:
    with pytest.raises(InputError, match="no part is known as") as caught:
        read_part(name, place=Evidence("mapinspect.toml", 3, ""))
    assert near in caught.value.remedy
    assert str(caught.value).startswith("mapinspect.toml:3: ")


@pytest.mark.parametrize("name", ["", "x", "-", "\ud800", "Z80", "A" * 10_000])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="no part is known as"):
        read_part(name)


def test_every_shipped_part_is_found_by_its_own_name_only() -> None:
    parts = shipped_parts()
    assert len(parts) >= 40
    for part in parts:
        assert read_part(part.name.replace("x", "A")).name == part.name, part.name
        if part.name != "ESP32":  # whose longer names are other parts
            assert read_part(part.name.replace("x", "A") + "-T6").name == part.name


@pytest.mark.parametrize("part", shipped_parts(), ids=lambda part: part.name)
def test_shipped_figures_are_plausible(part: Part) -> None:
    assert len(part.source) > 20
    assert part.total("ram") > 0
    for bank in part.banks:
        assert bank.span.size % 1024 == 0
        assert (bank.zero_wait or 0) <= bank.span.size
        assert (bank.static_limit or 0) <= bank.span.size
        assert bank.most is None or bank.most > bank.span.size
        assert bank.kind != "ram" or bank.cacheable is not None or bank.name in ("BKPSRAM", "L2MEM")


MINE = """
[[part]]
name = "MYCHIP-x1"
core = "Cortex-M4"
source = "our board's manual"
bank = [{ name = "ROM", kind = "flash", origin = 0, length = "1M", alias = ["0x1000_0000"] }]
[[part]]
name = "STM32L476xE"
core = "Cortex-M4"
source = "a fork"
bank = [{ name = "FLASH", kind = "flash", origin = 0, length = 7 }]
"""


def test_a_users_table_adds_parts_and_goes_before_the_shipped_one() -> None:
    assert read_part("mychipA1rev2", [table(MINE)]).banks[0].aliases == (0x1000_0000,)
    assert read_part("STM32L476RET6", [table(MINE)]).total("flash") == 7
    assert read_part("STM32L476RET6").total("flash") == 512 * K


BANK = '{ name = "R", kind = "ram", origin = 0, length = 8 }'


def part_with(banks: str, more: str = "") -> str:
    return f'[[part]]\nname = "P1"\ncore = "c"\nsource = "s"\n{more}\nbank = [{banks}]\n'


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        pytest.param("[[part]]\nname = 'P'", "has no core", 2, id="a key is missing"),
        pytest.param(part_with(BANK, "volts = 3"), "unknown key 'volts'", 6, id="unknown key"),
        pytest.param(part_with(BANK.replace("8", '"8KB"')), "ambiguous unit KB", 7, id="unit"),
        pytest.param(part_with(BANK.replace("8", "0")), "has no bytes", 7, id="no length"),
        pytest.param(part_with(BANK.replace("0,", "-1,")), "is negative", 7, id="negative origin"),
        pytest.param(part_with(BANK.replace("ram", "rom")), "is 'rom'", 7, id="unknown kind"),
        pytest.param(
            part_with(f"{BANK},{BANK}"), "the name or an address of R", 7, id="bank twice"
        ),
        pytest.param(
            part_with(f"{BANK},{BANK.replace('R', 'S').replace('0,', '7,')}"),
            "the name or an address of R",
            7,
            id="banks overlap",
        ),
        pytest.param(
            part_with(BANK.replace("8 }", '8, alias = ["x"] }')), "not a size", 7, id="alias"
        ),
        pytest.param(part_with(BANK) * 2, "there twice, first at line 2", 8, id="part twice"),
        pytest.param("part = 3", "not a list of tables", 2, id="no table"),
        pytest.param("[[part]", "not valid TOML", 2, id="no TOML"),
        pytest.param("x = " + "[" * 5000, "TOML|beyond reason", None, id="nested"),
    ],
)
def test_a_bad_table_is_refused_at_its_line(text: str, what: str, line: int | None) -> None:
    with pytest.raises(InputError, match=what) as caught:
        read_part("P1", [table(text)])
    assert line is None or caught.value.line == line
