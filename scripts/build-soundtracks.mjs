import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import ffmpeg from '@ffmpeg-installer/ffmpeg';

/**
 * Writes fixtures/soundtrack/*.aac: quiet loops of exactly 375 AAC frames (8 s), cut from the middle of three rounds,
 * so that the last frame leads into the first.
 */
const RATE = 48_000;
const FRAMES = 375;
const SAMPLES = FRAMES * 1024;
const MOODS = {
  calm: [
    [220, 277.2, 329.6],
    [185, 277.2, 370],
    [146.8, 220, 293.7],
    [164.8, 246.9, 329.6],
  ],
  bright: [
    [261.6, 329.6, 392],
    [196, 293.7, 392],
    [220, 261.6, 329.6],
    [174.6, 261.6, 349.2],
  ],
  dark: [
    [146.8, 174.6, 220],
    [116.5, 174.6, 233.1],
    [98, 146.8, 196],
    [110, 164.8, 220],
  ],
  wide: [
    [130.8, 196, 293.7],
    [155.6, 233.1, 311.1],
    [174.6, 261.6, 349.2],
    [130.8, 196, 261.6],
  ],
};
const folder = new URL('../fixtures/soundtrack/', import.meta.url);

mkdirSync(folder, { recursive: true });
for (const [mood, chords] of Object.entries(MOODS)) {
  const round = synthesise(chords);
  const encoded = execFileSync(
    ffmpeg.path,
    '-v error -f s16le -ar 48000 -ac 2 -i pipe:0 -c:a aac -b:a 80k -fflags +bitexact -flags:a +bitexact -f adts pipe:1'.split(
      ' ',
    ),
    { input: Buffer.concat([round, round, round]), maxBuffer: 1 << 26 },
  );
  const frames = split(encoded).slice(FRAMES, 2 * FRAMES);
  writeFileSync(new URL(`${mood}.aac`, folder), Buffer.concat(frames));
  console.log(mood, Buffer.concat(frames).length);
}

/** Four chords of two seconds each; all partials fit whole waves into the loop, so that it closes on itself. */
function synthesise(chords) {
  const out = Buffer.alloc(SAMPLES * 4);
  const step = SAMPLES / chords.length;
  const _fit = (frequency) => Math.round((frequency * SAMPLES) / RATE) / SAMPLES;
  for (let at = 0; at < SAMPLES; at++) {
    let [left, right] = [0, 0];
    for (const [index, chord] of chords.entries()) {
      const away = Math.abs(((at - (index + 0.5) * step + SAMPLES * 1.5) % SAMPLES) - SAMPLES / 2) / step;
      if (away >= 1) continue;
      const level = 0.5 + 0.5 * Math.cos(Math.PI * away);
      for (const [voice, frequency] of chord.entries()) {
        const turn = 2 * Math.PI * it(frequency) * at;
        const tone = Math.sin(turn) + 0.35 * Math.sin(2 * turn) + 0.12 * Math.sin(3 * turn);
        left += level * tone * (0.5 + 0.2 * (voice - 1));
        right += level * tone * (0.5 - 0.2 * (voice - 1));
      }
      const beat = (at % (step / 4)) / RATE;
      const pluck = Math.exp(-5 * beat) * Math.sin(2 * Math.PI * chord[(at / (step / 4)) & 1 ? 2 : 1] * 2 * beat);
      left += level * pluck * 0.5;
      right += level * pluck * 0.5;
    }
    out.writeInt16LE(Math.round(left * 4800), at * 4);
    out.writeInt16LE(Math.round(right * 4800), at * 4 + 2);
  }
  return out;
}

function split(adts) {
  const frames = [];
  for (let at = 0; at + 7 < adts.length; ) {
    const length = ((adts[at + 3] & 3) << 11) | (adts[at + 4] << 3) | (adts[at + 5] >> 5);
    frames.push(adts.subarray(at, at + length));
    at += length;
  }
  return frames;
}
