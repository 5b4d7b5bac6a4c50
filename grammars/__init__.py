"""The lark grammars, one file per language read."""
