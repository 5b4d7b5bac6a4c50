"""What a file is when it is no .tflite: the message that helps its owner."""

from mapinspect.errors import InputError

IDENTIFIER = b"TFL3"

# First bytes -> what the file is, what to do. Sources: the magic numbers of each format's
# documentation.
_MAGIC = (
    (b"\x7fELF", "is an ELF file, not a .tflite model", "give it as --elf"),
    (b"PK\x03\x04", "is a zip archive (Keras or PyTorch), not a .tflite model", "convert it"),
    (b"\x89HDF\r\n\x1a\n", "is an HDF5 file (Keras .h5), not a .tflite model", "convert it"),
    (b"GGUF", "is a GGUF file, not a .tflite model", "give the .tflite"),
    (b"\x1f\x8b", "is compressed with gzip", "unpack it first"),
    (b"\xfd7zXZ", "is compressed with xz", "unpack it first"),
    (b"\x80\x02", "is a Python pickle (PyTorch), not a .tflite model", "convert it"),
    (b"Archive member", "is a linker map, not a .tflite model", "give it as --map"),
    (b"Memory Configuration", "is a linker map, not a .tflite model", "give it as --map"),
)
# Identifier at bytes 4..8 of a flatbuffer -> the same.
_IDENTIFIERS = {
    b"ET12": ("is an ExecuTorch program (.pte), not a .tflite model", "give the .tflite"),
    b"ET13": ("is an ExecuTorch program (.pte), not a .tflite model", "give the .tflite"),
    b"TFL2": ("has the .tflite schema version 2", "convert it with a current converter"),
    b"TFL1": ("has the .tflite schema version 1", "convert it with a current converter"),
    b"ORTM": ("is an ONNX Runtime model (.ort), not a .tflite model", "convert it"),
    b"TOSA": ("is a TOSA flatbuffer, not a .tflite model", "give the .tflite"),
}
_TEXT = frozenset(b"\t\n\r\f") | frozenset(range(32, 127))


def refuse_other_formats(path: str, content: bytes) -> None:
    """Raise InputError unless ``content`` carries the identifier of a .tflite model."""
    if not content:
        raise InputError(path, None, "is empty, not a .tflite model", "convert the model again")
    if content[4:8] == IDENTIFIER:
        return
    what, remedy = _recognise(content)
    raise InputError(path, None, what, remedy)


def _recognise(content: bytes) -> tuple[str, str]:
    for magic, what, remedy in _MAGIC:
        if content.startswith(magic):
            return what, remedy
    if known := _IDENTIFIERS.get(bytes(content[4:8])):
        return known
    if content[8:12] == IDENTIFIER:
        return "is a size-prefixed .tflite model", "drop its first 4 bytes"
    if len(content) < 8:
        return f"is too short for a .tflite model ({len(content)} bytes)", "copy it again"
    return _recognise_by_contents(content)


def _recognise_by_contents(content: bytes) -> tuple[str, str]:
    head = content[:4096]
    if all(byte in _TEXT for byte in head):
        if b"0x" in head and b"[]" in head.replace(b" ", b""):
            return "is C source text of an array, not a .tflite model", "give the .tflite itself"
        return "is a text file, not a .tflite model", "give the .tflite"
    # An ONNX ModelProto starts with field 1, ir_version, and names its producer soon after.
    if content[0] == 0x08 and content[1] < 0x20:
        return "looks like an ONNX model (protobuf), not a .tflite model", "convert it"
    identifier = bytes(content[4:8])
    return (
        f"has no .tflite identifier: bytes 4 to 7 are {identifier!r} instead of {IDENTIFIER!r}",
        "give the .tflite",
    )
