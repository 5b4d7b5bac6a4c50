"""Options of custom operators, where they are a flexbuffer map: names to plain values.

Format: the FlexBuffers page of the flatbuffers documentation. Such bytes may as well be anything
else (each custom operator decides), so what cannot be decoded is not an error but no map.
"""

import struct

from mapinspect.model.network import OptionValue

SIZE_LIMIT = 1 << 20  # bytes; options of an operator are some dozen bytes
_KEY, _STRING, _MAP, _BOOL, _VECTOR_INT, _VECTOR_UINT, _VECTOR_FLOAT = 4, 5, 9, 26, 11, 12, 13
_INT, _UINT, _FLOAT = 1, 2, 3
_INDIRECT = {6: _INT, 7: _UINT, 8: _FLOAT}
_VECTORS = {_VECTOR_INT: _INT, _VECTOR_UINT: _UINT, _VECTOR_FLOAT: _FLOAT}
_FORMATS = {
    _INT: {1: "<b", 2: "<h", 4: "<i", 8: "<q"},
    _UINT: {1: "<B", 2: "<H", 4: "<I", 8: "<Q"},
    _FLOAT: {4: "<f", 8: "<d"},
}


def read_map(content: bytes) -> dict[str, OptionValue] | None:
    """Return the flexbuffer map in ``content``, None when it holds none.

    Values of other kinds than numbers, strings and vectors of numbers are left out.
    """
    if not 3 <= len(content) <= SIZE_LIMIT:
        return None
    try:
        return _root(content)
    except (struct.error, IndexError, KeyError, ValueError):
        return None


def _root(content: bytes) -> dict[str, OptionValue] | None:
    width, packed = content[-1], content[-2]
    if packed >> 2 != _MAP or width not in (1, 2, 4, 8):
        return None
    position = _follow(content, len(content) - 2 - width, width)
    return _map(content, position, 1 << (packed & 3))


def _number(content: bytes, position: int, width: int, kind: int) -> int | float:
    if position < 0:
        raise IndexError(position)
    value: int | float = struct.unpack_from(_FORMATS[kind][width], content, position)[0]
    return value


def _unsigned(content: bytes, position: int, width: int) -> int:
    return int(_number(content, position, width, _UINT))


def _follow(content: bytes, position: int, width: int) -> int:
    """Return where the offset at ``position`` leads: offsets point backwards."""
    return position - _unsigned(content, position, width)


def _map(content: bytes, position: int, width: int) -> dict[str, OptionValue]:
    count = _unsigned(content, position - width, width)
    if count > len(content):
        raise ValueError(count)
    keys = _follow(content, position - 3 * width, width)
    key_width = _unsigned(content, position - 2 * width, width)
    found: dict[str, OptionValue] = {}
    for index in range(count):
        key = _key(content, _follow(content, keys + index * key_width, key_width))
        packed = content[position + count * width + index]
        value = _value(content, position + index * width, width, packed)
        if value is not None:
            found[key] = value
    return found


def _key(content: bytes, position: int) -> str:
    if position < 0:
        raise IndexError(position)
    return content[position : content.index(0, position)].decode("utf-8", "surrogateescape")


def _value(content: bytes, position: int, width: int, packed: int) -> OptionValue | None:
    kind, own = packed >> 2, 1 << (packed & 3)
    if kind in _FORMATS:
        return _number(content, position, width, kind)
    if kind == _BOOL:
        return bool(_unsigned(content, position, width))
    if kind not in (_KEY, _STRING, *_INDIRECT, *_VECTORS):
        return None
    return _elsewhere(content, _follow(content, position, width), own, kind)


def _elsewhere(content: bytes, target: int, width: int, kind: int) -> OptionValue:
    """Return the value that the map only points at, ``width`` bytes per number."""
    if kind in _INDIRECT:
        return _number(content, target, width, _INDIRECT[kind])
    if kind in _VECTORS:
        return _vector(content, target, width, _VECTORS[kind])
    if kind == _KEY:
        return _key(content, target)
    length = _unsigned(content, target - width, width)
    return content[target : target + length].decode("utf-8", "surrogateescape")


def _vector(content: bytes, position: int, width: int, kind: int) -> OptionValue:
    count = _unsigned(content, position - width, width)
    if count > len(content):
        raise ValueError(count)
    values = [_number(content, position + i * width, width, kind) for i in range(count)]
    if kind == _FLOAT:
        return tuple(float(value) for value in values)
    return tuple(int(value) for value in values)
