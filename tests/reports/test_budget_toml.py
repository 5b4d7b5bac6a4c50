"""A proposed table as TOML: whatever names an image has, it parses and means them."""

import tomllib
from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from mapinspect.analysis.proposal.amounts import glob_of
from mapinspect.model.proposal import Entry, Proposal, ProposedRow
from mapinspect.readers.budget.reader import read_budget
from mapinspect.reports.budget_toml import render

# Bytes that are no UTF-8 are surrogates in names.
NAMES = st.text(st.characters(max_codepoint=0x2FF) | st.sampled_from('"\\\n#[]*?\udc80\u202e'))


def proposal(name: str, comment: str = "", **changes: object) -> Proposal:
    row = (Entry("id", "x"), Entry("match", {"symbol": glob_of(name)}, comment), Entry("limit", 1))
    parts: dict = {
        "project": ProposedRow((Entry("name", "fw"), Entry("margin", "10%", comment, off=True))),
        "inputs": ProposedRow((Entry("elf", "fw.elf"),)),
        "models": (),
        "regions": (ProposedRow((Entry("name", "RAM"), Entry("origin", 16, hexadecimal=True))),),
        "budgets": (ProposedRow(row, (comment,)),),
        "placements": (),
        "defects": (comment,),
    }
    return Proposal(**{**parts, **changes})


@given(name=NAMES.filter(str.strip), comment=NAMES)
def test_every_name_and_comment_is_written_so_that_it_parses(name: str, comment: str) -> None:
    text = render(proposal(name, comment))
    table = tomllib.loads(text)
    assert fnmatchcase(name, table["budget"][0]["match"]["symbol"])
    assert table["project"] == {"name": "fw"}
    text.encode("utf-8")


def test_addresses_are_hexadecimal_and_suggestions_commented_out() -> None:
    text = render(proposal("a", "SRAM is fuller"))
    assert "origin = 0x00000010" in text
    assert '# margin = "10%" # SRAM is fuller' in text
    assert "# - SRAM is fuller" in text


def test_the_text_is_a_table() -> None:
    row = ProposedRow((Entry("name", "RAM"), Entry("limit", "4K", "holds 1 byte")))
    model = ProposedRow((Entry("name", "kws"), Entry("file", "a b.tflite")), ("a remark",))
    text = render(proposal("g_model", regions=(row,), models=(model,)))
    table = read_budget("b.toml", text.encode())
    assert table.inputs.models[0].file == "a b.tflite"
    assert table.regions[0].limit is not None
    assert table.regions[0].declared.text == 'limit = "4K" # holds 1 byte'
