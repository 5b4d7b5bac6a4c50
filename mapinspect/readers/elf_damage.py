"""DamageError: what is wrong with an ELF, before the reader names the file."""


class DamageError(Exception):
    """Why an ELF file cannot be trusted; the entry point turns it into an InputError."""

    def __init__(self, what: str, remedy: str = "build it again, the file is damaged") -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy
