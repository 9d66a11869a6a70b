import { adjustLightness, blend, parseHexColor, type Rgb, saturate } from '../paint/rgb.ts';
import { SeededRandom, seededHash } from '../paint/seeded-random.ts';
import { chooseFigures, type PlannedFigure } from './choose-figures.ts';
import type { FigureSet } from './figure-set.ts';
import type { PromptInterpretation } from './prompt-reading.ts';
import type { Lexicon, TimeOfDayEntry } from './scene-lexicon.ts';

export interface SceneLight {
  sky: Rgb[];
  haze: Rgb;
  near: Rgb;
  body: Rgb;
  land: Rgb;
  leaf: Rgb;
  sun: number;
  stars: number;
  dark: boolean;
}

export interface ScenePlan {
  ground: string;
  weather: string;
  season: string;
  styles: string[];
  figures: PlannedFigure[];
  rides: boolean;
  moves: boolean;
  light: SceneLight;
  strength: number;
  horizon: number;
  /** The side on which the main things are painted: left if negative, right if positive. The size is from 0.25 to 0.75. */
  focus: number;
  random: SeededRandom;
}

const RIDING =
  /(?<!\p{L})(rid(e|es|ing|den)|rode|on horseback|reite\p{L}*|reitet|ritt|monta(nt|ndo)?|à cheval|cavalga\p{L}*|cavalca\p{L}*|rijdt|jedzie|едет|скачет|їде|rider|[àa] (?:vélo|moto|caballo|cavallo)|en (?:bici|bicicleta|moto)|auf (?:dem|einem|seinem|ihrem) (?:pferd|fahrrad|rad|motorrad|esel|kamel|elefanten)|on (?:a|an|his|her|the) (?:horse|bike|bicycle|motorbike|donkey|camel|elephant))(?!\p{L})|[骑騎]|に乗/iu;

const OVERCAST = new Set(['rain', 'storm', 'snow', 'fog']);

export function planScene(kit: ScenePlanAssets, wish: SceneWish): ScenePlan {
  const random = new SeededRandom(seededHash(wish.prompt, wish.seed));
  const chosen = chooseScene(kit, wish, random.branch('choice'));
  const frame = random.branch('frame');
  return {
    ground: chosen.ground,
    weather: chosen.weather,
    season: chosen.season,
    styles: chosen.styles,
    figures: chooseFigures(kit, chosen),
    strength: wish.strength,
    rides: RIDING.test(wish.prompt),
    moves: chosen.moves,
    light: mixLight(kit.lexicon, chosen, wish.strength),
    horizon: frame.between(0.42, 0.66),
    focus: frame.between(0.25, 0.75) * (frame.chance(0.5) ? 1 : -1),
    random,
  };
}

function mixLight(lexicon: Lexicon, chosen: Chosen, strength: number): SceneLight {
  const { times, seasons, colours, moods } = lexicon.file;
  const time = times[chosen.time] as TimeOfDayEntry;
  const season = seasons[chosen.season];
  const tints = chosen.colours.slice(0, 2).map((name) => parseHexColor(colours[name]?.tint ?? '#808080'));
  const mood = moods[chosen.moods[0] ?? ''];
  const dull = chosen.weather === 'storm' ? 0.55 : chosen.weather === 'rain' ? 0.35 : 0;
  const grade = (colour: Rgb, share: number) => {
    const tinted = tints.reduce((mixed, tint) => blend(mixed, tint, Math.min(0.8, share * strength)), colour);
    const weathered = blend(tinted, adjustLightness(saturate(tinted, 0.3), -0.3), dull);
    const purity = mood ? 1 + (mood.saturation - 1) * strength : 0.85 + 0.15 * strength;
    return adjustLightness(saturate(weathered, purity), (mood?.light ?? 0) * strength);
  };
  return {
    sky: time.sky.map((stop, at) => grade(parseHexColor(stop), 0.3 + at * 0.06)),
    haze: grade(parseHexColor(time.haze), 0.4),
    near: grade(parseHexColor(time.near), 0.3),
    body: parseHexColor(time.body),
    land: grade(parseHexColor(season?.land ?? '#3f8d43'), 0.3),
    leaf: grade(parseHexColor(season?.leaf ?? '#2f7a3c'), 0.3),
    sun: time.sun,
    stars: OVERCAST.has(chosen.weather) ? 0 : time.stars,
    dark: chosen.time === 'night' || chosen.time === 'dusk',
  };
}

interface SceneWish {
  prompt: string;
  negativePrompt?: string;
  seed: number;
  strength: number;
  lighting?: string;
}

export interface ScenePlanAssets {
  lexicon: Lexicon;
  figures: FigureSet;
}

const FIRM = new Set('hills beach city forest meadow village road garden mountains desert'.split(' '));

const OPEN_SKY: readonly string[] = ['sea', 'beach', 'hills', 'meadow', 'desert', 'road', 'garden', 'arctic'];

type Chosen = Omit<PromptInterpretation, 'weather'> & {
  time: string;
  ground: string;
  weather: string;
  season: string;
};

function chooseScene(kit: ScenePlanAssets, wish: SceneWish, random: SeededRandom): Chosen {
  const { lexicon } = kit;
  const read = lexicon.read(wish.prompt);
  const unwanted = new Set([...read.negated, ...namesIn(lexicon.read(wish.negativePrompt ?? ''))]);
  const wanted = without(read, unwanted);
  const lit = lexicon.read(wish.lighting ?? '');
  const barred = new Set([...unwanted].flatMap((name) => [name, ...lexicon.homesOf(name)]));
  const first = (named: string[], all: readonly string[]) => {
    const free = all.filter((name) => !barred.has(name));
    const drawn = random.pick([...(free.length > 0 ? free : all)]);
    return named[0] ?? drawn;
  };
  const usual = ['clear', 'clear', 'cloudy', 'cloudy', 'wind'];
  const settled = {
    time: first([...lit.times, ...wanted.times], lexicon.names('times')),
    ground: first(wanted.grounds, groundsFor(kit, wanted)),
    weather: first(wanted.weather, usual),
  };
  const seasons = settled.weather === 'snow' ? ['winter'] : ['spring', 'summer', 'summer', 'autumn'];
  return {
    ...wanted,
    styles: [...lit.styles, ...wanted.styles],
    colours: [...lit.colours, ...wanted.colours],
    moods: [...lit.moods, ...wanted.moods],
    ...settled,
    season: first(wanted.seasons, seasons),
  };
}

function groundsFor({ lexicon, figures }: ScenePlanAssets, { subjects }: PromptInterpretation): readonly string[] {
  const open = lexicon.names('grounds').filter((name) => name !== 'room' && name !== 'deep');
  const concept = subjects[0]?.concept ?? '';
  const homes = subjects.map(({ concept: each }) => lexicon.homesOf(each)).find(({ length }) => length > 0) ?? [];
  const { vessels, served, filling } = lexicon.table;
  const isFilled = filling.has(concept) && subjects.some((each) => vessels.has(each.concept));
  if (vessels.has(concept) || served.has(concept) || isFilled) return ['room'];
  if (homes.length > 0) return homes;
  const home = figures.home(concept);
  if (home === 'water') return ['sea', 'lake'];
  if (home === 'air') return OPEN_SKY;
  if (home === 'deep' || home === 'space') return [home];
  return home === 'ground' ? open.filter((name) => FIRM.has(name)) : open;
}

const SCENES = ['times', 'weather', 'seasons', 'grounds', 'colours', 'moods', 'styles'] as const;

function without(reading: PromptInterpretation, unwanted: ReadonlySet<string>): PromptInterpretation {
  const kept = SCENES.map((kind) => [kind, reading[kind].filter((name) => !unwanted.has(name))]);
  const subjects = reading.subjects
    .filter(({ concept }) => !unwanted.has(concept))
    .map((subject) => (unwanted.has(subject.colour ?? '') ? { ...subject, colour: null } : subject));
  return { ...reading, ...Object.fromEntries(kept), subjects };
}

function namesIn(reading: PromptInterpretation): string[] {
  return [
    ...SCENES.flatMap((kind) => reading[kind]),
    ...reading.negated,
    ...reading.subjects.map(({ concept }) => concept),
  ];
}
