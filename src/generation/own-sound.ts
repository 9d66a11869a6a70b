import { open } from 'node:fs/promises';
import type { Reader } from '../database/transaction.ts';
import { Ffmpeg } from '../render/ffmpeg.ts';
import { carriedSound } from '../render/mp3/own-tag.ts';
import { energiesOf, likest, PRINT_RATE, PRINT_SECONDS } from '../render/sound-print.ts';
import { soundsOfLength } from '../storage/file-store.ts';
import type { Files } from '../storage/files.ts';

export interface OwnSoundParts {
  database: Reader;
  files: Files;
  ffmpegPath: string | undefined;
}

/** What encoders add to a sound or take from it, in seconds, when it is encoded twice. */
const LENGTH_SPREAD = 0.3;
const MOST_CANDIDATES = 100;
/** A sound that was encoded anew is over 0.92 like itself; of a thousand others none was 0.6 like a render. */
const ALIKE = 0.88;
/** Tags of ours begin with what matters; what fills a file up comes after it. */
const HEAD_BYTES = 262_144;

/** Knows renders of ours again though they were encoded anew or sampled at another rate, so that no tag tells of them. */
export class OwnSound {
  readonly #parts: OwnSoundParts;
  /** Looked for with the first sound: no start waits for it. */
  #ffmpeg: Ffmpeg | undefined;

  constructor(parts: OwnSoundParts) {
    this.#parts = parts;
  }

  /** The words of the render that these bytes of `seconds` sound like; undefined where they sound like none. */
  async textOf(bytes: Buffer, seconds: number): Promise<string | undefined> {
    const candidates = await this.#candidates(seconds);
    if (candidates.length === 0) return undefined;
    const samples = await this.#decode(bytes);
    if (!samples) return undefined;
    const prints = candidates.map(({ print }) => print);
    const { at, like } = likest(prints, energiesOf(samples));
    return like >= ALIKE ? candidates[at]?.text : undefined;
  }

  async #candidates(seconds: number) {
    const names = soundsOfLength(this.#parts.database, {
      from: seconds - LENGTH_SPREAD,
      to: seconds + LENGTH_SPREAD,
      limit: MOST_CANDIDATES,
    });
    const carried = await Promise.all(names.map((name) => this.#carried(name)));
    return carried.filter((sound) => sound !== undefined);
  }

  /** A file that has been taken off the disk is like none. */
  async #carried(name: string) {
    const file = await open(this.#parts.files.path(name)).catch(() => undefined);
    if (!file) return undefined;
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return carriedSound(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  }

  /** Its beginning in one channel; undefined for what no decoder takes. */
  async #decode(input: Buffer): Promise<Int16Array | undefined> {
    const shape = ['-t', `${PRINT_SECONDS}`, '-ac', '1', '-ar', `${PRINT_RATE}`, '-f', 's16le'];
    this.#ffmpeg ??= new Ffmpeg({ path: this.#parts.ffmpegPath, timeLimitMs: 20_000 });
    const decoded = await this.#ffmpeg.run({ input, lenient: true, outputOptions: shape }).catch(() => undefined);
    return decoded && new Int16Array(Uint8Array.from(decoded).buffer, 0, decoded.length >> 1);
  }
}
