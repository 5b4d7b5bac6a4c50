"""Why an object is in the image, for people: the references from it to the program's own code."""

from collections.abc import Iterator, Sequence

from mapinspect.model.inclusion import Inclusion, Reference
from mapinspect.model.link_map import ObjectFile
from mapinspect.reports.printable import place, printable
from mapinspect.reports.sizes import grouped

_USERS_SHOWN = 5  # files per symbol; JSON has them all


def render(inclusions: Sequence[Inclusion]) -> str:
    """Return one block per object."""
    return "\n\n".join("\n".join(_block(item)) for item in inclusions) + "\n"


def _block(item: Inclusion) -> Iterator[str]:
    yield f"{_name(item.object)}  {grouped(item.bytes)} bytes"
    if not item.chain:
        yield "  was named to the linker itself"
    for step in item.chain:
        yield f"  {_reason(step)}"
    for use in item.uses:
        users = ", ".join(_short(user) for user in use.users[:_USERS_SHOWN])
        more = len(use.users) - _USERS_SHOWN
        yield f"  {printable(use.symbol)} is used by {users}" + (
            f" and {more} more" if more > 0 else ""
        )


def _reason(step: Reference) -> str:
    where = place(step.evidence.file, step.evidence.line)
    if step.requester is None:
        asked = "by the command line or the linker script"
        return f"{_name(step.member)} is asked for {asked}: {printable(step.symbol)}  ({where})"
    return (
        f"{_short(step.requester)} refers to {printable(step.symbol)} "
        f"of {_name(step.member)}  ({where})"
    )


def _name(item: ObjectFile) -> str:
    if item.archive is None:
        return printable(item.path)
    return _short(f"{item.archive}({item.path})")


def _short(file: str) -> str:
    """Return a file without the folder of its archive: that is the same for all its members."""
    archive, opening, member = file.replace("\\", "/").partition("(")
    return printable(archive.rsplit("/", 1)[-1] + opening + member) if opening else printable(file)
