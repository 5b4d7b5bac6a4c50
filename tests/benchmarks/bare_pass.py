"""The yardstick: read a map and run one regular expression over it, one match a line, nothing kept.

It knows the kinds of lines a map has, and no more: it neither checks nor adds up anything.
"""

import re
import sys
from pathlib import Path

LINE_KINDS = re.compile(
    rb"^(?:"
    rb" {16}(0x[0-9a-f]{8,16}) {16,}(\S[^\n]*)"  # symbols and assignments
    rb"| ([^ \n]\S*)(?:\n {15}|) +(0x[0-9a-f]+) +(0x[0-9a-f]+) ([^\n]+)"  # input sections
    rb"| \*fill\* +(0x[0-9a-f]+) +(0x[0-9a-f]+)[^\n]*"
    rb"|([^ \n][^\n]*)"  # output sections, LOAD lines, tables
    rb"|( [^\n]*)"  # patterns, data statements, sizes before relaxing
    rb"|)\n",
    re.MULTILINE,
)


def bare_pass(text: bytes) -> int:
    """Return how many matches there are."""
    count = 0
    for _ in LINE_KINDS.finditer(text):
        count += 1
    return count


if __name__ == "__main__":
    print(bare_pass(Path(sys.argv[1]).read_bytes()))
