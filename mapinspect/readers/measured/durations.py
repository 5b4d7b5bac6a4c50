"""Durations as people write them."""

import re

_DURATION = re.compile(r"([0-9]{1,9}) ?(s|sec|seconds|min|minutes|h|hours|d|days)?")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(text: str) -> int | None:
    """Return the seconds of ``5400``, ``"90min"``, ``"72h"`` or ``"3 days"``; None otherwise.

    >>> seconds("72h"), seconds("90 min"), seconds("soon")
    (259200, 5400, None)
    """
    found = _DURATION.fullmatch(text.strip().lower())
    return None if found is None else int(found[1]) * _UNITS[(found[2] or "s")[0]]
