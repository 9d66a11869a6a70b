import type { Rgb } from '../paint/palette.ts';
import { blend } from '../paint/palette.ts';
import { lighten, rgb, saturate } from '../paint/rgb.ts';
import { hashText, SeededRandom } from '../paint/seeded-random.ts';
import type { FigureWord, Lexicon, Reading, TimeEntry } from './scene-lexicon.ts';

/** What a scene is asked for. */
export interface SceneWish {
  prompt: string;
  negativePrompt?: string;
  seed: number;
  /** How strongly the words act: 1 is usual, 0.1 to 2.5. */
  strength: number;
  /** Words on the light, `neon` or `candle light`; they outrank the prompt's. */
  lighting?: string;
}

/** The colours of one scene. */
export interface Light {
  sky: Rgb[];
  haze: Rgb;
  near: Rgb;
  body: Rgb;
  land: Rgb;
  leaf: Rgb;
  /** Height of sun or moon over the horizon, as a share of the sky. */
  sun: number;
  stars: number;
  dark: boolean;
}

/** Everything that is decided about a scene before the first stroke. */
export interface ScenePlan {
  ground: string;
  weather: string;
  season: string;
  styles: string[];
  figures: FigureWord[];
  light: Light;
  strength: number;
  /** Of the picture's height. */
  horizon: number;
  /** Where the eye is led, -1 (left) to 1 (right). */
  focus: number;
  random: SeededRandom;
}

type Chosen = Omit<Reading, 'weather'> & {
  time: string;
  ground: string;
  weather: string;
  season: string;
};

/** Reads the words, removes what the negative prompt names, and settles the rest by prompt and seed. */
export function planScene(lexicon: Lexicon, wish: SceneWish): ScenePlan {
  const random = new SeededRandom(hashText(wish.prompt, wish.seed));
  const chosen = choose(lexicon, wish, random.branch('choice'));
  const frame = random.branch('frame');
  return {
    ...{ ground: chosen.ground, weather: chosen.weather, season: chosen.season },
    ...{ styles: chosen.styles, figures: chosen.figures, strength: wish.strength },
    light: mixLight(lexicon, chosen, wish.strength),
    horizon: frame.between(0.42, 0.66),
    focus: frame.between(0.25, 0.75) * (frame.chance(0.5) ? 1 : -1),
    random,
  };
}

function choose(lexicon: Lexicon, wish: SceneWish, random: SeededRandom): Chosen {
  const unwanted = lexicon.read(wish.negativePrompt ?? '');
  const wanted = without(lexicon.read(wish.prompt), unwanted);
  const lit = lexicon.read(wish.lighting ?? '');
  const first = (named: string[], all: string[], banned: string[]) => {
    const free = all.filter((name) => !banned.includes(name));
    const drawn = random.pick(free.length > 0 ? free : all);
    return named[0] ?? drawn;
  };
  const open = lexicon.names('grounds').filter((name) => name !== 'room' && name !== 'deep');
  const time = first([...lit.times, ...wanted.times], lexicon.names('times'), unwanted.times);
  const usual = ['clear', 'clear', 'cloudy', 'cloudy', 'wind'];
  return {
    ...wanted,
    ...{ styles: [...lit.styles, ...wanted.styles], colours: [...lit.colours, ...wanted.colours] },
    ...{ moods: [...lit.moods, ...wanted.moods] },
    time,
    ground: first(wanted.grounds, groundsFor(wanted, open), unwanted.grounds),
    weather: first(wanted.weather, usual, unwanted.weather),
    season: first(wanted.seasons, ['spring', 'summer', 'summer', 'autumn'], unwanted.seasons),
  };
}

/** A figure brings its own place where the prompt names none. */
function groundsFor(reading: Reading, open: string[]): string[] {
  const homes = {
    water: ['sea', 'lake'],
    deep: ['deep'],
    space: ['space'],
    air: open,
    ground: open,
  };
  const habitat = reading.figures[0]?.habitat;
  const home = habitat === undefined ? open : homes[habitat];
  return habitat === 'ground' ? home.filter((name) => !['sea', 'space'].includes(name)) : home;
}

function without(reading: Reading, unwanted: Reading): Reading {
  const keep = (kind: Exclude<keyof Reading, 'figures'>) =>
    reading[kind].filter((name) => !unwanted[kind].includes(name));
  const banned = new Set(unwanted.figures.map((figure) => figure.shape));
  return {
    ...{ times: keep('times'), weather: keep('weather'), seasons: keep('seasons') },
    ...{ grounds: keep('grounds'), colours: keep('colours'), moods: keep('moods') },
    styles: keep('styles'),
    figures: reading.figures.filter((figure) => !banned.has(figure.shape)),
  };
}

function mixLight(lexicon: Lexicon, chosen: Chosen, strength: number): Light {
  const { times, seasons, colours, moods } = lexicon.file;
  const time = times[chosen.time] as TimeEntry;
  const season = seasons[chosen.season];
  const tints = chosen.colours.slice(0, 2).map((name) => rgb(colours[name]?.tint ?? '#808080'));
  const mood = moods[chosen.moods[0] ?? ''];
  const dull = chosen.weather === 'storm' ? 0.55 : chosen.weather === 'rain' ? 0.35 : 0;
  const grade = (colour: Rgb, share: number) => {
    const tinted = tints.reduce((mixed, tint) => blend(mixed, tint, Math.min(0.8, share * strength)), colour);
    const weathered = blend(tinted, lighten(saturate(tinted, 0.3), -0.3), dull);
    const purity = mood ? 1 + (mood.saturation - 1) * strength : 0.85 + 0.15 * strength;
    return lighten(saturate(weathered, purity), (mood?.light ?? 0) * strength);
  };
  return {
    sky: time.sky.map((stop, at) => grade(rgb(stop), 0.3 + at * 0.06)),
    haze: grade(rgb(time.haze), 0.4),
    near: grade(rgb(time.near), 0.3),
    body: rgb(time.body),
    land: grade(rgb(season?.land ?? '#3f8d43'), 0.3),
    leaf: grade(rgb(season?.leaf ?? '#2f7a3c'), 0.3),
    ...{
      sun: time.sun,
      stars: time.stars,
      dark: chosen.time === 'night' || chosen.time === 'dusk',
    },
  };
}
