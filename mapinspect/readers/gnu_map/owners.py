"""From the text that ends a row to the object file it names."""

from collections.abc import Collection

from mapinspect.model.link_map import ObjectFile

# binutils ld/plugin.c, plugin_get_ir_dummy_bfd: what stands for a file that only the plug-in reads.
# Notes that ld makes itself, such as a build-id, hang on the first file, whatever that is; of an
# archive it names the member alone.
_OF_PLUGIN = " (symbol from plugin)"
LINKER_STUBS = "linker stubs"  # binutils ld/emultempl/armelf.em and others, lang_add_input_file

# What gcc's LTO plug-in calls its temporary objects, after a random prefix (gcc/lto-wrapper.cc).
_TEMPORARY_PREFIX = "cc"
_TEMPORARY_PREFIX_LENGTH = 8
_TEMPORARY_PARTS = (".ltrans", ".lto.", ".debug.temp")


def object_file(text: str, loaded: Collection[str]) -> ObjectFile:
    """Return the object that ``text`` names; ``loaded`` are the files of the map's LOAD lines.

    ``archive(member)`` and a file name with parentheses look alike: a file that was loaded
    decides, otherwise the balanced last parenthesis does.
    """
    text = text.removesuffix(_OF_PLUGIN)
    if text in loaded or not text.endswith(")"):
        return ObjectFile(stable_path(text), None)
    opening = _loaded_archive_end(text, loaded) or _balanced_opening(text)
    if opening <= 0 or text[opening - 1] == " ":
        return ObjectFile(stable_path(text), None)
    return ObjectFile(stable_path(text[opening + 1 : -1]), text[:opening])


def is_loaded(text: str, loaded: Collection[str], pulled: Collection[str]) -> bool:
    """Return whether the owner ``text`` can be: a loaded file, its member, or ld itself.

    ``pulled`` are the members that the archive table names: of thin archives, the only trace.
    """
    if text in loaded or text in pulled or text == LINKER_STUBS:
        return True
    if text.endswith((" generated", " generated)", _OF_PLUGIN)) or (text[0], text[-1]) == (
        "<",
        ">",
    ):
        return True
    return bool(_loaded_archive_end(text, loaded)) and text.endswith(")")


def stable_path(path: str) -> str:
    """Return ``path``, or for a temporary object of link-time optimisation its stable part.

    >>> stable_path("/tmp/ccx7Yz1A.ltrans0.ltrans.o")
    'ltrans0.ltrans.o'
    """
    name = path[max(path.rfind("/"), path.rfind("\\")) + 1 :]
    rest = name[_TEMPORARY_PREFIX_LENGTH:]
    if name.startswith(_TEMPORARY_PREFIX) and rest.startswith(_TEMPORARY_PARTS):
        return rest[1:]
    return path


def _loaded_archive_end(text: str, loaded: Collection[str]) -> int:
    opening = text.find("(")
    while opening > 0:
        if text[:opening] in loaded:
            return opening
        opening = text.find("(", opening + 1)
    return 0


def _balanced_opening(text: str) -> int:
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        if text[position] == ")":
            depth += 1
        elif text[position] == "(":
            depth -= 1
            if depth == 0:
                return position
    return 0
