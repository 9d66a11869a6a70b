import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import ffmpeg from '@ffmpeg-installer/ffmpeg';

/**
 * Writes fixtures/soundtrack/*.aac: quiet beds of exactly 375 AAC frames (8 s), cut from the middle of three rounds, so
 * that the last frame leads into the first. A soft tick stands at each second, where the time code changes.
 */
const RATE = 48_000;
const FRAMES = 375;
const SAMPLES = FRAMES * 1024;
const SECONDS = SAMPLES / RATE;
const TICK = { hertz: 1320, level: 0.05, decay: 90 };
const folder = new URL('../../fixtures/soundtrack/', import.meta.url);

/** What is heard in each place; times are in seconds, and whatever swells does so in whole waves of the loop. */
const BEDS = {
  sea: () => [
    ...both((seed) =>
      swelling(
        filtered(noise(seed), 500),
        [
          [1, 0.75],
          [2, 0.2],
        ],
        0.25,
      ),
    ),
    hiss(3, 0.03),
  ],
  rain: () => [
    ...both((seed) => scaled(bright(noise(seed), 1800), 0.19)),
    ...both((seed) => drops(seed, 900, 4200, 0.12)),
  ],
  city: () => [
    ...both((seed) =>
      swelling(
        filtered(noise(seed), 160),
        [
          [1, 0.3],
          [3, 0.2],
        ],
        0.3,
      ),
    ),
    passing(2.5, 0.12),
  ],
  wind: () =>
    both((seed) =>
      swelling(
        band(noise(seed), 320, 900),
        [
          [1, 0.45],
          [2, 0.3],
          [5, 0.15],
        ],
        0.26,
      ),
    ),
  forest: () => [
    ...both((seed) =>
      swelling(
        band(noise(seed), 700, 2600),
        [
          [1, 0.4],
          [3, 0.2],
        ],
        0.16,
      ),
    ),
    birds(0.1),
  ],
  room: () => [...both((seed) => scaled(filtered(noise(seed), 220), 0.1)), hum(0.02)],
  fire: () => [
    ...both((seed) => scaled(filtered(noise(seed), 260), 0.22)),
    ...both((seed) => drops(seed, 60, 2400, 0.3)),
  ],
};

mkdirSync(folder, { recursive: true });
for (const [bed, voices] of Object.entries(BEDS)) {
  const round = interleave([...voices(), { samples: ticks(), pan: 0 }]);
  const options = '-v error -f s16le -ar 48000 -ac 2 -i pipe:0 -c:a aac -b:a 56k -fflags +bitexact -flags:a +bitexact';
  const encoded = execFileSync(ffmpeg.path, [...options.split(' '), '-f', 'adts', 'pipe:1'], {
    input: Buffer.concat([round, round, round]),
    maxBuffer: 1 << 26,
  });
  const frames = Buffer.concat(split(encoded).slice(FRAMES, 2 * FRAMES));
  writeFileSync(new URL(`${bed}.aac`, folder), frames);
  console.log(bed, frames.length);
}

/** A sound of its own on either side. */
function both(make) {
  return [
    { samples: make(1), pan: -0.7 },
    { samples: make(2), pan: 0.7 },
  ];
}

function noise(seed) {
  let state = seed * 2_654_435_761;
  return Float64Array.from({ length: SAMPLES }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  });
}

/** Low frequencies alone, at an even loudness. The first round only fills the filter, so that the loop closes. */
function filtered(samples, hertz) {
  const share = 1 - Math.exp((-2 * Math.PI * hertz) / RATE);
  const out = new Float64Array(SAMPLES);
  let [one, two] = [0, 0];
  for (let at = 0; at < 2 * SAMPLES; at++) {
    one += (samples[at % SAMPLES] - one) * share;
    two += (one - two) * share;
    out[at % SAMPLES] = two;
  }
  return levelled(out);
}

function bright(samples, hertz) {
  const low = filtered(samples, hertz);
  const own = levelled(samples);
  return levelled(own.map((sample, at) => sample - low[at] * 0.6));
}

function band(samples, from, to) {
  const [low, high] = [filtered(samples, from), filtered(samples, to)];
  return levelled(high.map((sample, at) => sample - low[at] * 0.8));
}

function levelled(samples) {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / SAMPLES;
  return samples.map((sample) => (sample * 0.3) / Math.sqrt(power));
}

function scaled(samples, level) {
  return samples.map((sample) => sample * level);
}

/** Louder and softer by waves: how many there are in the loop, and how deep. */
function swelling(samples, waves, level) {
  return samples.map((sample, at) => {
    const depth = waves.reduce((sum, [count, deep]) => sum + deep * Math.sin((2 * Math.PI * count * at) / SAMPLES), 0);
    return sample * level * Math.max(0, 1 + depth) * 0.6;
  });
}

function hiss(seed, level) {
  return { samples: swelling(bright(noise(seed), 3000), [[1, 0.9]], level), pan: 0 };
}

/** Short blows at random places. */
function drops(seed, count, hertz, level) {
  const places = noise(seed + 7);
  const out = new Float64Array(SAMPLES);
  for (let drop = 0; drop < count; drop++) {
    const from = Math.floor(((places[drop * 3] + 1) / 2) * SAMPLES);
    const [pitch, loud] = [hertz * (0.6 + Math.abs(places[drop * 3 + 1])), level * Math.abs(places[drop * 3 + 2])];
    for (let at = 0; at < 900; at++) {
      out[(from + at) % SAMPLES] += loud * Math.exp(-at / 110) * Math.sin((2 * Math.PI * pitch * at) / RATE);
    }
  }
  return out;
}

/** Something far away that comes and goes once. */
function passing(middle, level) {
  const rumble = filtered(noise(11), 380);
  const samples = rumble.map((sample, at) => {
    const away = (at / RATE - middle) / 1.1;
    return sample * level * Math.exp(-away * away);
  });
  return { samples, pan: 0.3 };
}

/** Calls of a few falling notes. */
function birds(level) {
  const out = new Float64Array(SAMPLES);
  for (const [start, pitch, notes] of [
    [0.6, 3400, 3],
    [2.9, 2700, 4],
    [4.35, 3900, 2],
    [6.4, 3100, 5],
  ]) {
    for (let note = 0; note < notes; note++) {
      const from = Math.floor((start + note * 0.13) * RATE);
      for (let at = 0; at < 4000; at++) {
        const swell = Math.sin((Math.PI * at) / 4000) ** 2;
        const turns = ((pitch - note * 140) * at) / RATE - (at * at * 9) / RATE / 100;
        out[(from + at) % SAMPLES] += level * swell * Math.sin(2 * Math.PI * turns);
      }
    }
  }
  return { samples: out, pan: -0.4 };
}

function hum(level) {
  const tone = (hertz, at) => Math.sin((2 * Math.PI * Math.round(hertz * SECONDS) * at) / SAMPLES);
  return {
    samples: Float64Array.from({ length: SAMPLES }, (_, at) => level * (tone(100, at) + 0.4 * tone(200, at))),
    pan: 0,
  };
}

function ticks() {
  return Float64Array.from({ length: SAMPLES }, (_, at) => {
    const since = (at % RATE) / RATE;
    return TICK.level * Math.exp(-since * TICK.decay) * Math.sin(2 * Math.PI * TICK.hertz * since);
  });
}

function interleave(voices) {
  const out = Buffer.alloc(SAMPLES * 4);
  for (let at = 0; at < SAMPLES; at++) {
    let [left, right] = [0, 0];
    for (const { samples, pan } of voices) {
      left += samples[at] * Math.sqrt((1 - pan) / 2);
      right += samples[at] * Math.sqrt((1 + pan) / 2);
    }
    out.writeInt16LE(sound(left), at * 4);
    out.writeInt16LE(sound(right), at * 4 + 2);
  }
  return out;
}

function sound(value) {
  return Math.round(Math.max(-0.9, Math.min(0.9, value)) * 32_767);
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
