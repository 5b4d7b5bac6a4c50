"""Write ``grammars/gnu_ld.json``, lark's tables of the grammar: run after every change of it."""

import json

from mapinspect import resources
from mapinspect.readers.gnu_map.grammar import TABLES_FILE, compile_tables

if __name__ == "__main__":
    text = json.dumps(compile_tables(), separators=(",", ":"), sort_keys=True)
    (resources.folder("grammars") / TABLES_FILE).write_text(text + "\n", encoding="ascii")
