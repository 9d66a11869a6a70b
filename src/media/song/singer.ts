import { noteHertz, semitoneRatio, sine } from '../speech/exact-math.ts';
import { SUNG } from '../speech/phones.ts';
import type { Syllable } from './lyric-sections.ts';
import { SAMPLE_RATE, TABLE_SIZE, type Waveforms } from './play-note.ts';
import type { Stereo, SungNote } from './score.ts';

const BLOCK = 64;
const MASK = TABLE_SIZE - 1;
const LEVEL = 0.62;
/** How high the resonances of each kind of voice lie, beside a man's. */
const MOUTHS: Record<string, number> = {
  child: 1.32,
  soprano: 1.2,
  alto: 1.14,
  tenor: 1.02,
  baritone: 0.94,
};
/** How long the lips take to open into the vowel, in seconds. */
const OPENING: Record<Syllable['onset'], number> = {
  none: 0.03,
  nasal: 0.13,
  soft: 0.07,
  sharp: 0.025,
};

export interface Singer {
  /** Adds a line to `bus`: each syllable opens from a hum into its vowel, and closes. */
  sing(bus: Stereo, line: SungNote[]): void;
}

export function createSinger(kind: string, waveforms: Waveforms): Singer {
  const mouth = MOUTHS[kind] ?? 1.1;
  const waveOf = (vowel: string, pitch: number) => waveforms.of(vowelHarmonics(vowel, pitch, mouth));
  return {
    sing: (bus, line) => {
      for (const note of line) {
        hold(bus, note, { hum: waveOf('hum', note.pitch), open: waveOf(note.syllable.vowel, note.pitch) });
      }
    },
  };
}

/** `hum` is a closed mouth; its resonances lie `mouth` times as high as a man's. */
function vowelHarmonics(vowel: string, pitch: number, mouth: number): number[] {
  const base = noteHertz(pitch);
  const gainAt = (hertz: number) =>
    (SUNG[vowel] ?? []).reduce((sum, [centre, width, gain]) => {
      const distance = (hertz - centre * mouth) / width;
      return sum + gain / (1 + distance * distance);
    }, 0);
  const count = Math.max(3, Math.min(36, Math.floor(5_500 / base)));
  return Array.from({ length: count }, (_, i) => gainAt(base * (i + 1)) / Math.sqrt(i + 1) + 0.004);
}

function hold(bus: Stereo, note: SungNote, { hum, open }: { hum: Float32Array; open: Float32Array }): void {
  const step = (noteHertz(note.pitch) * TABLE_SIZE) / SAMPLE_RATE;
  const end = Math.min(bus.left.length, note.at + note.length);
  let phase = 0;
  let before = 0;
  for (let at = note.at; at < end; at += BLOCK) {
    const since = at - note.at;
    const loud = LEVEL * note.velocity * loudness(since, note.length);
    const opened = openness(since, note);
    const bent = step * semitoneRatio(vibrato(since));
    const stop = Math.min(BLOCK, end - at);
    for (let i = 0; i < stop; i++) {
      const closed = hum[phase & MASK] as number;
      const wave = closed + opened * ((open[phase & MASK] as number) - closed);
      const sample = (before + ((loud - before) * i) / BLOCK) * wave;
      (bus.left[at + i] as number) += sample;
      (bus.right[at + i] as number) += sample;
      phase += bent;
    }
    before = loud;
  }
}

function loudness(since: number, length: number): number {
  const rise = Math.min(1, since / 2_200);
  const fall = Math.min(1, Math.max(0, (length - since - BLOCK) / 2_600));
  return rise * fall;
}

function openness(since: number, { length, syllable }: SungNote): number {
  const opening = Math.min(1, since / (OPENING[syllable.onset] * SAMPLE_RATE));
  const closing = Math.min(1, Math.max(0, (length - since) / (0.16 * SAMPLE_RATE)));
  return opening * (0.35 + 0.65 * closing);
}

function vibrato(since: number): number {
  const seconds = since / SAMPLE_RATE;
  return 0.28 * Math.min(1, Math.max(0, (seconds - 0.22) * 3)) * sine(seconds * 5.3);
}
