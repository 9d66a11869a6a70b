import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ServedFiles } from '../library/served-files.ts';
import type { ByteRange } from './byte-range.ts';

/** What is read without leaving the thread. */
const SMALL = 131_072;
/** What is read in one go; more is streamed in pieces of this size. */
const PIECE = 1_048_576;

/** Writes the headers, when there are bytes to follow them. */
type Begin = () => ServerResponse;

/** Sends a part of a file. Answers false, and sends nothing, when the file is not on the disk. */
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
    await (length > PIECE ? stream(handle, part, begin) : readAndSend(handle, part, begin));
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

async function stream(handle: FileHandle, { start, end }: ByteRange, begin: Begin): Promise<void> {
  const body = handle.createReadStream({ start, end, highWaterMark: PIECE, autoClose: false });
  const response = begin();
  // Whoever hangs up ends the pipeline; there is nobody left to tell.
  await pipeline(body, response).catch(() => response.destroy());
}

function requireWhole(read: number, length: number): void {
  if (read < length) throw new Error(`a kept file ends ${length - read} bytes too early`);
}
