"""Sizes for people: use is rounded up, room down, so that nothing looks better than it is."""


def kib_up(size: int) -> str:
    """Return a size in KiB with one decimal, rounded up; ``size`` in bytes."""
    return _tenths(-(-size * 10 // 1024))


def kib_down(size: int) -> str:
    """Return a size in KiB with one decimal, rounded down; ``size`` in bytes."""
    return _tenths(size * 10 // 1024)


def _tenths(tenths: int) -> str:
    sign = "-" if tenths < 0 else ""
    return f"{sign}{abs(tenths) // 10}.{abs(tenths) % 10}"


def grouped(size: int | None) -> str:
    """Return bytes with thousands separated, or a dash for none."""
    return "-" if size is None else f"{size:,}"
