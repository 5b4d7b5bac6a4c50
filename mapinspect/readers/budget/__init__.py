"""The budget table's reader: strict TOML in, a ``BudgetTable`` out."""
