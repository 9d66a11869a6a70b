import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { CdnFault } from '../faults/struck.ts';
import { written } from '../http/send.ts';
import type { ByteRange } from './byte-range.ts';

/** What is read and sent in one go. */
const PIECE = 65_536;
/** How many pieces a second a slow body comes in. */
const STEPS = 10;
const SECOND = 1000;

/** How one body is broken. `size` is that of the whole file, in bytes. */
export interface Breaking {
  fault: CdnFault;
  part: ByteRange;
  size: number;
  /** Waits so many milliseconds of real time, or until the client has gone. */
  pause(milliseconds: number): Promise<void>;
  /** Waited for with half of the body sent; answers whether there is anybody left to get the rest. */
  halfway?: (() => Promise<boolean>) | undefined;
}

/**
 * Sends a part of a file as a fault rule breaks it [I237]. What is cut, or claims another length, ends with its
 * connection, once what was to be sent has left.
 */
export async function sendBroken(handle: FileHandle, response: ServerResponse, breaking: Breaking): Promise<void> {
  const { fault, part, halfway } = breaking;
  const length = part.end - part.start + 1;
  const sent = Math.min(length, fault.truncate_at ?? length);
  const half = halfway ? Math.floor(sent / 2) : 0;
  if (half > 0) await sendBytes(handle, response, { ...breaking, part: upTo(part, 0, half) });
  if (halfway && !(await halfway())) return;
  await sendBytes(handle, response, { ...breaking, part: upTo(part, half, sent) });
  if (sent < length || fault.wrong_length !== undefined) response.destroy();
  else response.end();
}

function upTo({ start }: ByteRange, from: number, to: number): ByteRange {
  return { start: start + from, end: start + to - 1 };
}

async function sendBytes(handle: FileHandle, response: ServerResponse, breaking: Breaking): Promise<void> {
  const { fault, part, size, pause } = breaking;
  const rate = fault.bytes_per_second;
  const step = rate === undefined ? PIECE : Math.min(PIECE, Math.max(1, Math.ceil(rate / STEPS)));
  const flipped = flippedOf(fault, size);
  response.flushHeaders();
  for (let at = part.start; at <= part.end && !response.destroyed; at += step) {
    const length = Math.min(step, part.end - at + 1);
    const { buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
    flip(buffer, at, flipped);
    await written(response, buffer);
    if (rate !== undefined) await pause((SECOND * length) / rate);
  }
}

/** How far apart the false bytes of a file stand; 0 where there are none. They are the same in every read. */
function flippedOf({ flip_bytes: count = 0 }: CdnFault, size: number): number {
  return count === 0 ? 0 : Math.max(1, Math.floor(size / count));
}

/** The first false byte stands in the middle of its stretch: a file's first ones say what it is. */
function flip(bytes: Buffer, at: number, every: number): void {
  if (every === 0) return;
  const first = Math.floor(every / 2);
  for (
    let place = Math.max(0, Math.ceil((at - first) / every)) * every + first;
    place < at + bytes.length;
    place += every
  )
    bytes[place - at] = (bytes[place - at] ?? 0) ^ 0xff;
}
