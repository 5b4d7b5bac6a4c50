"""Sequences that are read from the text when someone first looks at them."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class OnDemand(Sequence[T]):
    """A sequence whose records ``read`` makes the first time one is asked for."""

    def __init__(self, read: Callable[[], Iterable[T]]) -> None:
        self._read = read
        self._records: tuple[T, ...] | None = None

    def _all(self) -> tuple[T, ...]:
        if self._records is None:
            self._records = tuple(self._read())
        return self._records

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        """Return one record, or a tuple of some."""
        return self._all()[index]

    def __len__(self) -> int:
        """Return how many records there are."""
        return len(self._all())
