"""InputError: a file or option we were given cannot be used."""


class InputError(Exception):
    """A file we were given cannot be used; becomes one ``error:`` line and exit status 2.

    ``path`` is the file as the user named it, ``line`` its line where one is known, ``what``
    the fault and ``remedy`` what to do next.
    """

    def __init__(self, path: str, line: int | None, what: str, remedy: str) -> None:
        super().__init__(path, line, what, remedy)
        self.path = path
        self.line = line
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        """Return ``FILE[:LINE]: what; what to do``."""
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.what}; {self.remedy}"
