import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../base/package/fixture-folder.ts';
import type { AudioTrack } from '../mp4/mp4-track.ts';
import type { ScenePlan } from '../scene/scene-plan.ts';

type Bed = 'sea' | 'rain' | 'city' | 'wind' | 'forest' | 'room' | 'fire';

/** What is heard in each place; in others it is the wind. */
const BEDS: Record<string, Bed> = {
  ...{ sea: 'sea', beach: 'sea', island: 'sea' },
  ...{ city: 'city', road: 'city', village: 'city' },
  ...{ forest: 'forest', garden: 'forest', meadow: 'forest', lake: 'forest' },
  ...{ room: 'room', space: 'room', deep: 'room', volcano: 'fire' },
};
/** Where no weather is heard. */
const INDOORS = new Set(['room', 'space', 'deep']);
const RATE = 48_000;
const FRAME = 1024;

/** What is heard in a scene: its weather before its place. */
export function bedOf({ ground, weather }: Pick<ScenePlan, 'ground' | 'weather'>): Bed {
  const rains = (weather === 'rain' || weather === 'storm') && !INDOORS.has(ground);
  return rains ? 'rain' : (BEDS[ground] ?? 'wind');
}

/** A bed of sound that leads into itself, laid out over a clip; it ticks softly whenever a second of the time code begins. */
export function soundtrack(plan: ScenePlan, seconds: number): AudioTrack {
  const { frames, config } = readAdts(readFileSync(join(fixtureFolder(), `soundtrack/${bedOf(plan)}.aac`)));
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
