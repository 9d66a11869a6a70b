import { execFileSync, spawnSync } from 'node:child_process';
import { createDice, type Dice } from '../../../src/render/song/dice.ts';
import { energiesOf, likest, PRINT_RATE, printOf } from '../../../src/render/sound-print.ts';
import { speak, spokenAtOnce } from '../../../src/render/speech/render-speech.ts';
import { ffmpeg } from './audio-tools.ts';
import { english } from './english-book.ts';

const SECONDS = 3;
const hasEspeak = spawnSync('which', ['espeak-ng'], { stdio: 'ignore' }).status === 0;

/** A sound that nobody rendered: tones, noise, chords in a rhythm, or beats. */
function foreign(kind: number, name: string): Int16Array {
  const dice = createDice(name);
  const [hertz, beat, decay] = [dice.between(60, 1500), dice.between(0.1, 0.9), dice.between(2, 40)];
  const glide = dice.between(-400, 400);
  return Int16Array.from({ length: PRINT_RATE * SECONDS }, (_, at) => {
    const seconds = at / PRINT_RATE;
    const since = seconds % beat;
    const swell = Math.exp(-since * decay);
    const tone = Math.sin(2 * Math.PI * (hertz * seconds + (glide * seconds * seconds) / 2));
    const noise = dice.between(-1, 1);
    const chord = tone + Math.sin(2.5 * Math.PI * hertz * seconds) + Math.sin(3 * Math.PI * hertz * seconds);
    return 8000 * ([tone, noise, (chord * swell) / 3, noise * swell, tone * swell][kind % 5] ?? 0);
  });
}

const LETTERS = 'abcdefghijklmnoprstuvwz';

async function speech(name: string): Promise<Int16Array> {
  const dice = createDice(name);
  const text = textOf(dice);
  const samples = await spokenAtOnce(speak({ text, voice: dice.pick(['aria', 'orion']) }, english));
  return Int16Array.from({ length: PRINT_RATE * SECONDS }, (_, at) => samples[at * 3] ?? 0);
}

function textOf(dice: Dice): string {
  const word = () => Array.from({ length: 2 + Math.floor(dice.roll() * 7) }, () => dice.pick([...LETTERS])).join('');
  return Array.from({ length: 9 }, word).join(' ');
}

/** Speech of ours that was not rendered, speech of another program where that is installed, or what is no speech. */
async function otherSound(i: number): Promise<Int16Array> {
  if (i % 6 === 5) return speech(`other ${i}`);
  if (i % 6 === 4 && hasEspeak) return espeak(`other ${i}`);
  return foreign(i, `sound ${i}`);
}

function espeak(name: string): Int16Array {
  const pitch = `${10 + Math.floor(createDice(`pitch ${name}`).between(0, 80))}`;
  const wave = execFileSync('espeak-ng', ['-p', pitch, '--stdout', textOf(createDice(name))]);
  const shape = ['-ac', '1', '-ar', `${PRINT_RATE}`, '-t', `${SECONDS}`, '-f', 's16le', 'pipe:1'];
  return new Int16Array(Uint8Array.from(ffmpeg(wave, shape).stdout).buffer);
}

/** How alike the nearest of so many other sounds is to a render. */
export async function nearestOf(count: number): Promise<number> {
  const renders = await Promise.all(Array.from({ length: 12 }, (_, i) => speech(`render ${i}`)));
  const prints = renders.map((samples) => printOf(energiesOf(samples)));
  let nearest = 0;
  for (let i = 0; i < count; i++) {
    const energies = energiesOf(await otherSound(i));
    nearest = Math.max(nearest, likest(prints, energies).like);
  }
  return nearest;
}
