"""A table of layers, TOML or CSV, of a model that does not exist as a file yet → Network.

Each layer names its operator and the shape of its output; shapes are written ``1x32x32x16``.
Layers follow each other unless ``inputs`` names others. Weights, biases and their quantisation
are laid out as the converter would, so that everything else is computed as for a real model.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from mapinspect.errors import InputError
from mapinspect.model.network import Network
from mapinspect.readers.budget.fields import Field, Kind
from mapinspect.readers.source import SourceFile
from mapinspect.readers.tflite_schema import schema
from mapinspect.readers.tflite_sketch_graph import INPUT, SketchLayer, build
from mapinspect.readers.toml_document import read_toml

_LAYER: Final = {
    "name": Field(Kind.NAME, "the layer's name, for the inputs of later layers"),
    "operator": Field(Kind.NAME, "INPUT, or an operator of the .tflite schema", required=True),
    "output": Field(Kind.NAME, "the shape of its output, as 1x32x32x16", required=True),
    "inputs": Field(Kind.NAMES, "names of the layers it reads; default: the one before"),
    "kernel": Field(Kind.NAME, "height x width of a convolution or pool, as 3x3"),
    "stride": Field(Kind.NAME, "height x width, as 1x1"),
    "dilation": Field(Kind.NAME, "height x width, as 1x1"),
    "padding": Field(Kind.CHOICE, "of a convolution or pool", choices=("SAME", "VALID")),
    "type": Field(Kind.NAME, "the type of its output, where it differs from the table's"),
}
SKETCH_TABLE: Final = {
    "version": Field(Kind.VERSION, "the format, 1", required=True),
    "type": Field(Kind.NAME, "the type of all activations: INT8, INT16 or FLOAT32"),
    "layer": Field(Kind.TABLES, "the layers, in order", required=True, table=_LAYER),
}
TYPES: Final = ("INT8", "INT16", "FLOAT32")
LAYER_LIMIT: Final = 10_000
_SHAPE: Final = re.compile(r"[1-9][0-9]{0,8}(?:[x×][1-9][0-9]{0,8}){0,7}")
_PAIR: Final = 2


def read_sketch(source: SourceFile) -> Network:
    """Return the network of a table of layers, TOML or CSV by its file's ending.

    Raises InputError with the line for unknown keys, operators, types, names and shapes.
    """
    is_csv = source.path.lower().endswith(".csv")
    rows = list(_csv_rows(source) if is_csv else _toml_rows(source))
    if not rows:
        raise InputError(source.path, None, "has no layers", "describe each layer in a row")
    if len(rows) > LAYER_LIMIT:
        raise InputError(source.path, None, f"has more than {LAYER_LIMIT} layers", "shorten it")
    layers = [_layer(source.path, line, row) for line, row in rows]
    return build(source.path, len(source.content), layers)


def _toml_rows(source: SourceFile) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    document = read_toml(source, SKETCH_TABLE)
    default = document.values.get("type")
    for index, row in enumerate(document.values["layer"]):
        line = document.evidence("layer", index).line
        yield line, {"type": default, **row} if default else row


def _csv_rows(source: SourceFile) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    try:
        text = source.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(source.path, None, "is not UTF-8 text", "save it as UTF-8") from None
    reader = csv.DictReader(io.StringIO(text), restkey="", strict=True)
    try:
        unknown = set(reader.fieldnames or ()) - set(_LAYER)
        if unknown or "operator" not in (reader.fieldnames or ()):
            names = ", ".join(sorted(map(str, unknown))) or "no operator"
            known = f"name the columns {', '.join(_LAYER)}"
            raise InputError(source.path, 1, f"has the unknown columns {names}", known)
        for row in reader:
            given = {key: value for key, value in row.items() if value}
            if "" in given:
                raise InputError(source.path, reader.line_num, "has too many fields", "drop them")
            if given:
                inputs = str(given.get("inputs", "")).split()
                yield reader.line_num, {**given, "inputs": inputs} if inputs else given
    except csv.Error as error:
        what = f"is no CSV ({error})"
        raise InputError(source.path, reader.reader.line_num, what, "mend the line") from None


def _layer(path: str, line: int | None, row: Mapping[str, Any]) -> SketchLayer:
    operator = str(row.get("operator", ""))
    if operator != INPUT and operator not in schema().operators:
        what = f"names the unknown operator {operator!r}"
        raise InputError(path, line, what, "write it as the .tflite schema does, as CONV_2D")
    kind = str(row.get("type", TYPES[0]))
    if kind not in TYPES:
        raise InputError(path, line, f"has the type {kind!r}", f"use one of {', '.join(TYPES)}")
    if "output" not in row:
        raise InputError(path, line, "gives no output shape", "write it as 1x32x32x16")
    padding = str(row.get("padding", "SAME"))
    if padding not in ("SAME", "VALID"):
        raise InputError(path, line, f"has the padding {padding!r}", "use SAME or VALID")
    return SketchLayer(
        line=line,
        name=str(row.get("name", "")),
        operator=operator,
        type=kind,
        shape=_shape(path, line, "output", str(row["output"])),
        inputs=tuple(row.get("inputs", ())),
        kernel=_pair(path, line, "kernel", row),
        stride=_pair(path, line, "stride", row),
        dilation=_pair(path, line, "dilation", row),
        padding=padding,
    )


def _shape(path: str, line: int | None, key: str, text: str) -> tuple[int, ...]:
    if not _SHAPE.fullmatch(text.strip()):
        raise InputError(path, line, f"has the {key} {text!r}", "write it as 1x32x32x16")
    return tuple(int(size) for size in re.split("[x×]", text.strip()))


def _pair(path: str, line: int | None, key: str, row: Mapping[str, Any]) -> tuple[int, int]:
    if key not in row:
        return 1, 1
    sizes = _shape(path, line, key, str(row[key]))
    if len(sizes) > _PAIR:
        raise InputError(path, line, f"has the {key} {row[key]!r}", "write height x width, as 3x3")
    return sizes[0], sizes[-1]
