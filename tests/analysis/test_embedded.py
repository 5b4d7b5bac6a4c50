"""Models are found by their bytes, in every kind of memory; what differs says why.

The images are written by hand: where each model lies is known from how they are written.
"""

import pytest

from mapinspect.model.finding import Status
from mapinspect.model.inspection import Inspection, ModelCopy
from tests.elf_builder import ElfSymbolSpec, data
from tests.embedding import (
    DENSE,
    FLASH,
    MODELS,
    QSPI,
    RAM,
    entry,
    image,
    inspect_elf,
    messages,
    outcomes,
    rodata,
)
from tests.model_builder import G, Op, T, write_model

FLOAT = (MODELS / "dense_float32.tflite").read_bytes()


def places(facts: Inspection) -> list[tuple[int, int, str, bool | None]]:
    """Run-time address, load address, section and equality of every copy of the one model."""
    [model] = facts.models
    return [
        (copy.place.span.start, copy.place.lma, copy.place.section.name, copy.matches)
        for copy in model.copies
    ]


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        pytest.param(
            [rodata(bytes(32) + DENSE)],
            [(FLASH + 0x1020, FLASH + 0x1020, ".rodata")],
            id="in Flash",
        ),
        pytest.param(
            [data(bytes(16) + DENSE, RAM, FLASH + 0x2000)],
            [(RAM + 16, FLASH + 0x2010, ".data")],
            id="in RAM, with its load image in Flash",
        ),
        pytest.param(
            [rodata(DENSE, QSPI, ".extflash")],
            [(QSPI, QSPI, ".extflash")],
            id="in external Flash",
        ),
        pytest.param(
            [rodata(DENSE), rodata(bytes(16) + DENSE, QSPI, ".ext")],
            [(FLASH + 0x1000, FLASH + 0x1000, ".rodata"), (QSPI + 16, QSPI + 16, ".ext")],
            id="twice",
        ),
    ],
)
def test_a_model_is_found_wherever_it_lies(sections: list, expected: list) -> None:
    found = places(inspect_elf(image(*sections), [(entry(), DENSE)]))
    assert found == [(*place, True) for place in expected]


def test_a_model_that_nobody_names_is_found_with_its_symbols() -> None:
    home = rodata(bytes(16) + DENSE)
    symbols = [
        ElfSymbolSpec("g_model", home.vma + 16, len(DENSE), ".rodata"),
        ElfSymbolSpec("alias", home.vma + 16, 0, ".rodata"),
    ]
    [model] = inspect_elf(image(home, symbols=symbols)).embedded
    assert model.symbols == ("g_model", "alias")
    assert (model.place.span.start, model.place.span.size) == (home.vma + 16, len(DENSE))
    assert model.network is not None
    assert model.entry is None


def test_the_size_of_a_model_without_a_symbol_is_read_from_its_tables() -> None:
    [model] = inspect_elf(image(rodata(DENSE + b"\x55" * 4096))).embedded
    assert len(DENSE) - 16 < model.place.span.size <= len(DENSE)


def test_a_model_that_is_cut_off_is_reported_with_its_fault() -> None:
    facts = inspect_elf(image(rodata(DENSE[: len(DENSE) // 2])))
    [model] = facts.embedded
    assert model.network is None
    assert "past the end" in model.fault
    assert outcomes(facts, "weights-misaligned")[0].status is Status.NOT_CLAIMED


def test_the_identifier_as_a_string_of_code_is_no_model() -> None:
    assert inspect_elf(image(rodata(b"abcdTFL3" + bytes(64)))).embedded == ()


def only_copy(linked: bytes, given: bytes, symbol: str | None = None) -> ModelCopy:
    home = rodata(bytes(16) + linked + b"\x55" * 64)
    symbols = [ElfSymbolSpec("g_model", home.vma + 16, len(linked), ".rodata")]
    facts = inspect_elf(image(home, symbols=symbols), [(entry(symbol=symbol), given)])
    [copy] = facts.models[0].copies
    assert copy.place.span.start == home.vma + 16
    return copy


def small(weights: bytes, *, kind: str = "INT8", scale: float = 0.5, outputs: int = 8) -> bytes:
    """A model of one layer with these weights, 64 inputs an output."""
    tensors = [
        T([1, 64], kind, scales=[scale], zero_points=[0]),
        T([outputs, 64], kind, data=weights, scales=[0.25], zero_points=[0]),
        T([1, outputs], kind, scales=[0.5], zero_points=[0]),
    ]
    operator = Op("FULLY_CONNECTED", [0, 1, -1], [2], table="FullyConnectedOptions")
    return write_model(G(tensors, [operator], [0], [2]))


WEIGHTS = bytes((n * 37 + n // 256 * 11) % 256 for n in range(512))


def words_turned(content: bytes, width: int) -> bytes:
    """The bytes as a big-endian tool writes them in words; the rest as it is."""
    whole = len(content) // width * width
    turned = b"".join(content[n : n + width][::-1] for n in range(0, whole, width))
    return turned + content[whole:]


@pytest.mark.parametrize("symbol", [None, "g_model"], ids=["by content", "by symbol"])
@pytest.mark.parametrize(
    ("linked", "given", "cause"),
    [
        pytest.param(
            small(WEIGHTS[:-1] + b"!"), small(WEIGHTS), "other weights", id="a later training"
        ),
        pytest.param(
            small(WEIGHTS, scale=0.75), small(WEIGHTS), "1 tensors with other scales", id="rescaled"
        ),
        pytest.param(
            small(WEIGHTS),
            small(WEIGHTS, kind="UINT8"),
            "quantised differently: INT8 in the image, UINT8 in the file",
            id="of another type",
        ),
        pytest.param(
            small(WEIGHTS[:256], outputs=4), small(WEIGHTS), "other shapes", id="of other shapes"
        ),
        pytest.param(DENSE[:-600], DENSE, "truncated", id="cut off"),
        pytest.param(
            DENSE[:-1600] + bytes(1600), DENSE, "truncated: the file's first", id="ends in zeros"
        ),
        pytest.param(words_turned(DENSE, 4), DENSE, "byte-swapped in words of 4", id="32-bit"),
        pytest.param(words_turned(DENSE, 2), DENSE, "byte-swapped in words of 2", id="16-bit"),
    ],
)
def test_a_difference_is_explained(
    linked: bytes, given: bytes, cause: str, symbol: str | None
) -> None:
    copy = only_copy(linked, given, symbol)
    assert copy.matches is False
    assert cause in copy.cause
    expected = next(
        (n for n, (a, b) in enumerate(zip(linked, given, strict=False)) if a != b), len(linked)
    )
    assert copy.first_difference == expected


def test_padding_behind_the_file_is_named() -> None:
    assert "128 bytes of padding" in only_copy(DENSE + bytes(128), DENSE, "g_model").cause


def test_another_model_at_the_symbol_is_named() -> None:
    copy = only_copy(small(WEIGHTS), DENSE, "g_model")
    assert copy.cause.startswith("another model: 1 operators, the file has ")


def test_a_tensor_by_itself_is_no_changed_model() -> None:
    """As generated code holds weights: the file's bytes, and none of its tables."""
    facts = inspect_elf(image(rodata(WEIGHTS)), [(entry(), small(WEIGHTS))])
    assert facts.models[0].copies == ()


@pytest.mark.parametrize(
    ("past", "status"),
    [
        pytest.param(0, Status.HOLDS, id="a multiple of 16"),
        pytest.param(8, Status.BROKEN, id="a multiple of 8 only"),
        pytest.param(1, Status.BROKEN, id="an odd address"),
    ],
)
@pytest.mark.parametrize("given", [True, False], ids=["given", "found"])
def test_a_model_must_begin_at_a_multiple_of_16(past: int, status: Status, *, given: bool) -> None:
    models = [(entry(), DENSE)] if given else []
    facts = inspect_elf(image(rodata(bytes(past) + DENSE)), models)
    [outcome] = outcomes(facts, "weights-misaligned")
    assert outcome.status is status


def test_a_model_in_ram_is_a_defect_also_when_nobody_names_it() -> None:
    facts = inspect_elf(image(data(DENSE, RAM, FLASH + 0x2000)))
    [message] = messages(facts, "weights-not-in-flash")
    assert "takes up RAM in .data, and again in FLASH" in message


def test_what_lies_there_instead_is_evidence_of_a_missing_model() -> None:
    facts = inspect_elf(image(rodata(small(WEIGHTS))), [(entry(), FLOAT)])
    [outcome] = outcomes(facts, "weights-missing")
    assert outcome.status is Status.BROKEN
    assert f"{FLASH + 0x1000:#010x}" in outcome.findings[0].evidence[-1].text


def test_another_version_beside_the_right_one_is_no_proof() -> None:
    """Which of both the program runs, no image tells: the right bytes alone prove nothing."""
    older = bytearray(DENSE)
    older[DENSE.index(b"TFL3") + 1000] ^= 1  # a byte of some tensor; the layers stay the same
    facts = inspect_elf(
        image(rodata(DENSE), rodata(bytes(older), QSPI, ".old")), [(entry(), DENSE)]
    )
    found = outcomes(facts, "embedded-model-differs")
    assert [outcome.status for outcome in found] == [Status.HOLDS, Status.UNDECIDED]
    assert "none of the given files" in found[1].findings[0].message
    both = inspect_elf(
        image(rodata(DENSE), rodata(bytes(older), QSPI, ".old")),
        [(entry(), DENSE), (entry("old"), bytes(older))],
    )
    statuses = [outcome.status for outcome in outcomes(both, "embedded-model-differs")]
    assert statuses == [Status.HOLDS, Status.HOLDS]


def test_two_copies_of_a_model_that_nobody_names_are_one_too_many() -> None:
    home = rodata(DENSE + bytes(-len(DENSE) % 16) + DENSE)
    at = FLASH + 0x1000
    second = at + len(DENSE) + -len(DENSE) % 16
    symbols = [
        ElfSymbolSpec("g_one", at, len(DENSE), ".rodata"),
        ElfSymbolSpec("g_two", second, len(DENSE), ".rodata"),
    ]
    assert messages(inspect_elf(image(home, symbols=symbols)), "weights-duplicated") == [
        f"g_one is in the image 2 times: {len(DENSE)} bytes more than needed"
    ]
    other = rodata(DENSE + bytes(-len(DENSE) % 16) + small(WEIGHTS))
    assert messages(inspect_elf(image(other)), "weights-duplicated") == []
