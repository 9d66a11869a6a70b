import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { ServedFiles } from '../../engine/library/served-files.ts';
import { written } from '../http/send-stream.ts';
import type { ByteRange } from './file-headers.ts';

/** What is read without leaving the thread. */
const SMALL = 131_072;
/** What is read in one go; more is streamed in pieces. */
const LARGE = 1_048_576;
const PIECE = 262_144;

/** Writes the headers; called when there are bytes to follow them. */
type Begin = () => ServerResponse;

/** Sends a part of a file. Returns false, and sends nothing, when the file is not on the disk. */
export async function sendPart(
  { served, file }: { served: ServedFiles; file: string },
  part: ByteRange,
  begin: Begin,
): Promise<boolean> {
  const length = part.end - part.start + 1;
  const small = length <= SMALL ? served.readNow(file, part.start, length) : undefined;
  if (small) {
    requireWhole(small.length, length);
    begin().end(small);
    return true;
  }
  const handle = await served.open(file);
  if (!handle) return false;
  try {
    await (length > LARGE ? stream(handle, part, begin) : readAndSend(handle, part, begin));
    return true;
  } finally {
    await handle.close();
  }
}

async function readAndSend(handle: FileHandle, { start, end }: ByteRange, begin: Begin): Promise<void> {
  const length = end - start + 1;
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, start);
  requireWhole(bytesRead, length);
  begin().end(buffer);
}

/** Each piece is read over the one before it, which has left by then: a large file takes no more memory than one of them. */
async function stream(handle: FileHandle, { start, end }: ByteRange, begin: Begin): Promise<void> {
  const piece = Buffer.allocUnsafe(PIECE);
  const response = begin();
  try {
    for (let at = start; at <= end && !response.destroyed; ) {
      const length = Math.min(PIECE, end - at + 1);
      const { bytesRead } = await handle.read(piece, 0, length, at);
      requireWhole(bytesRead, length);
      await written(response, piece.subarray(0, bytesRead));
      at += bytesRead;
    }
    response.end();
  } catch {
    // The headers are sent: the client must see that the body is not whole.
    response.destroy();
  }
}

function requireWhole(read: number, length: number): void {
  if (read < length) throw new Error(`a kept file ends ${length - read} bytes too early`);
}
