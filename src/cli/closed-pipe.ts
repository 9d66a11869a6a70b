/** Of a pipe whose reader has ended, and of a terminal that is gone. */
const GONE = ['EPIPE', 'EIO'];

/**
 * Who reads a command's output may have read enough, as `head` does: that is no fault of the command, which says the
 * rest to nobody. Anything else that keeps it from writing is thrown.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listeners('error').includes(ignoreGone)) continue;
    stream.on('error', ignoreGone);
  }
}

function ignoreGone(error: NodeJS.ErrnoException): void {
  if (!GONE.includes(String(error.code))) throw error;
}
