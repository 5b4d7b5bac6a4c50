"""What a label at a stack's top means: most name the address behind it, AVR's its last byte."""

from typing import Final

_AVR_DATA: Final = 0x80_0000  # binutils ld/emulparams/avr*.sh, DATA_ORIGIN without its low part


def behind(top: int, data: int) -> int:
    """Return the address behind a stack whose top is ``top``; ``data`` is an address of its RAM.

    AVR's top is the last byte, an odd address, and may lack the 0x800000 that GNU tools add to
    addresses of data.

    >>> hex(behind(0x20018000, 0x20000000)), hex(behind(0x08FF, 0x800100))
    ('0x20018000', '0x800900')
    """
    moved = top + _AVR_DATA if top < _AVR_DATA <= data < 2 * _AVR_DATA else top
    return moved + moved % 2
