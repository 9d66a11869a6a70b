import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/**
 * More than any of it holds. What is unpacked in one piece leaves with the thread that unpacked it; of the many small
 * pieces that are usual 10 MiB stayed with the process.
 */
const ROOM = { chunkSize: 4 * 1_048_576 };

/** What a file holds that was packed by Brotli. */
export function readPacked(path: string): Buffer {
  return brotliDecompressSync(readFileSync(path), ROOM);
}
