import { hashText, SeededRandom } from '../paint/seeded-random.ts';
import { decayPerSample, sine } from '../speech/exact-math.ts';
import { type DrumSound, entry } from './music-data.ts';
import { SAMPLE_RATE } from './play-note.ts';
import { type Hit, panGains, type Stereo } from './score.ts';

export interface DrumKit {
  /** Adds one blow to `bus`; `side` mirrors the kit. */
  play(bus: Stereo, hit: Hit, side: number): void;
}

/** Every drum is made once, when it is first hit. */
export function createDrumKit(sounds: Record<string, DrumSound>): DrumKit {
  const made = new Map<string, Float32Array>();
  return {
    play: (bus, hit, side) => {
      const sound = entry(sounds, hit.drum);
      const samples = made.get(hit.drum) ?? makeDrum(hit.drum, sound);
      made.set(hit.drum, samples);
      const [left, right] = panGains((sound.pan ?? 0) * side);
      const end = Math.min(samples.length, bus.left.length - hit.at);
      for (let i = 0; i < end; i++) {
        const sample = (samples[i] as number) * hit.velocity;
        (bus.left[hit.at + i] as number) += left * sample;
        (bus.right[hit.at + i] as number) += right * sample;
      }
    },
  };
}

function makeDrum(name: string, sound: DrumSound): Float32Array {
  const samples = new Float32Array(Math.round(sound.seconds * SAMPLE_RATE));
  if (sound.tone) addTone(samples, sound.tone);
  if (sound.noise) addNoise(samples, sound.noise, name);
  const fade = Math.min(480, samples.length);
  for (let i = 0; i < fade; i++) (samples[samples.length - 1 - i] as number) *= i / fade;
  return samples;
}

/** A tone that falls from one pitch to another, as a drumhead does. */
function addTone(samples: Float32Array, tone: NonNullable<DrumSound['tone']>): void {
  const decay = decayPerSample(tone.decay, SAMPLE_RATE);
  const sweep = decayPerSample(tone.sweep, SAMPLE_RATE);
  let loud = tone.level;
  let above = tone.from - tone.to;
  let turns = 0;
  for (let i = 0; i < samples.length; i++) {
    (samples[i] as number) += loud * sine(turns) * Math.min(1, i / 24);
    turns += (tone.to + above) / SAMPLE_RATE;
    loud *= decay;
    above *= sweep;
  }
}

/** Noise, the brighter the fewer of its low tones are left; `bursts` are hands that clap not quite together. */
function addNoise(samples: Float32Array, noise: NonNullable<DrumSound['noise']>, name: string): void {
  const dice = new SeededRandom(hashText(`drum ${name}`));
  const decay = decayPerSample(noise.decay, SAMPLE_RATE);
  const attack = Math.max(1, (noise.attack ?? 0) * SAMPLE_RATE);
  const gap = Math.round(0.011 * SAMPLE_RATE);
  let low = 0;
  let loud = noise.level;
  for (let i = 0; i < samples.length; i++) {
    const white = dice.between(-1, 1);
    low += (white - low) * (1 - noise.bright * 0.9);
    const coloured = noise.bright > 0.5 ? white - low * noise.bright : low * 2;
    if (i % gap === 0 && i > 0 && i < gap * (noise.bursts ?? 1)) loud = noise.level;
    (samples[i] as number) += loud * coloured * Math.min(1, i / attack);
    if (i >= attack) loud *= decay;
  }
}
