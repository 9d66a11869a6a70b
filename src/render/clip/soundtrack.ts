import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../package/fixture-folder.ts';
import type { AudioTrack } from '../mp4/mp4-track.ts';
import { hashText } from '../paint/seeded-random.ts';

const MOODS = ['calm', 'bright', 'dark', 'wide'];
const RATE = 48_000;
const FRAME = 1024;

/** A loop that leads into itself, laid out over a clip; which one follows from the prompt. */
export function soundtrack(prompt: string, seconds: number): AudioTrack {
  const mood = MOODS[hashText(prompt) % MOODS.length] ?? 'calm';
  const { frames, config } = readAdts(readFileSync(join(fixtureFolder(), `soundtrack/${mood}.aac`)));
  const count = Math.ceil((seconds * RATE) / FRAME) + 1;
  const laid = Array.from({ length: count }, (_, at) => frames[(at + frames.length - 1) % frames.length]);
  return { sampleRate: RATE, config, frames: laid.filter((frame) => frame !== undefined) };
}

/** AAC frames without their headers, and the two bytes that configure a decoder for them. */
function readAdts(file: Buffer): { frames: Buffer[]; config: Buffer } {
  const frames: Buffer[] = [];
  let at = 0;
  while (at + 7 < file.length) {
    const length = ((file.readUInt8(at + 3) & 3) << 11) | (file.readUInt16BE(at + 4) >> 5);
    frames.push(file.subarray(at + 7, at + length));
    at += length;
  }
  const rate = (file.readUInt8(2) >> 2) & 15;
  const channels = ((file.readUInt8(2) & 1) << 2) | (file.readUInt8(3) >> 6);
  const profile = (file.readUInt8(2) >> 6) + 1;
  const config = Buffer.alloc(2);
  config.writeUInt16BE((profile << 11) | (rate << 7) | (channels << 3));
  return { frames, config };
}
