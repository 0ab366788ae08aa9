"""Running the program at a terminal of its own."""

import fcntl
import os
import pty
import struct
import sys
import termios


def at_a_terminal(arguments: list[str], answers: str = "", *, columns: int = 80) -> tuple[int, str]:
    """The exit code of a command, and all that it showed."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execv(sys.executable, [sys.executable, "-m", "pkgupdate", *arguments])
    os.write(terminal, answers.encode())
    shown = b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        shown += data
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()
