"""Run a link command as if nobody stood in front of it: its status, its signals, its end."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

# What stops a build: Ctrl-C, `kill`, a terminal that closes (absent on Windows).
_STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


def call(command: Sequence[str]) -> int:
    """Run the command to its end; return its exit status, or minus the signal that ended it.

    Signals do not end the wait. Ctrl-C reaches the command from the terminal, as it reaches us;
    the others are passed on. Raises OSError when the command cannot be run.
    """
    pending: list[int] = []
    with _handling(pending.append):
        child = subprocess.Popen(list(command))
        for number in pending:
            child.send_signal(number)
        with _handling(child.send_signal):
            return child.wait()


def was_stopped(status: int) -> bool:
    """Return whether the status is that of a command that someone stopped."""
    return -status in _STOPPING


def end_like(status: int) -> int:
    """End this process by the signal that ended the command, so that make and shells see it.

    Returns the status a shell shows for it, where the signal does not end us (it is ignored).
    """
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
    return 128 - status


@contextlib.contextmanager
def _handling(react: Callable[[int], object]) -> Iterator[None]:
    """Call ``react`` with each stopping signal but Ctrl-C, for as long as the block runs.

    A signal that was ignored stays so. The command starts with the default handlers: those of a
    process are reset when it becomes another program.
    """

    def handler(number: int, _: FrameType | None) -> None:
        """Pass a signal on; the terminal sends Ctrl-C to the command itself."""
        if number != signal.SIGINT:
            react(number)

    heeded = [one for one in _STOPPING if signal.getsignal(one) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heeded}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
