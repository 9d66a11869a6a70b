"""Runs a command in a terminal of its own: what it says goes to standard output, what comes in is typed there.

The exit code is the command's, or 128 and the number of the signal that ended it.
"""

import os
import pty
import select
import sys

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])

sources = [terminal, 0]
while terminal in sources:
    ready, _, _ = select.select(sources, [], [])
    for source in ready:
        try:
            data = os.read(source, 65536)
        except OSError:  # A terminal that nobody has open any more.
            data = b""
        if not data:
            sources.remove(source)
        else:
            os.write(1 if source == terminal else terminal, data)

_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
