import type { SeededRandom } from '../paint/seeded-random.ts';
import type { FigureSet } from './figure-set.ts';
import type { Lexicon, ReadPrompt } from './scene-lexicon.ts';

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

/** What a scene is planned with. */
export interface PlanKit {
  lexicon: Lexicon;
  figures: FigureSet;
}

/** Where a figure finds ground to stand on. */
const FIRM = new Set('hills beach city forest meadow village road garden mountains desert'.split(' '));

/** Places with nothing tall, where what flies has the sky for itself. */
export const OPEN_SKY: readonly string[] = ['sea', 'beach', 'hills', 'meadow', 'desert', 'road', 'garden', 'arctic'];

export type Chosen = Omit<ReadPrompt, 'weather'> & {
  time: string;
  ground: string;
  weather: string;
  season: string;
};

export function chooseScene(kit: PlanKit, wish: SceneWish, random: SeededRandom): Chosen {
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
    ...{ styles: [...lit.styles, ...wanted.styles], colours: [...lit.colours, ...wanted.colours] },
    ...{ moods: [...lit.moods, ...wanted.moods] },
    ...settled,
    season: first(wanted.seasons, seasons),
  };
}

/** A subject brings its own place where the prompt names none. */
function groundsFor({ lexicon, figures }: PlanKit, { subjects }: ReadPrompt): readonly string[] {
  const open = lexicon.names('grounds').filter((name) => name !== 'room' && name !== 'deep');
  const concept = subjects[0]?.concept ?? '';
  const homes = subjects.map(({ concept: each }) => lexicon.homesOf(each)).find(({ length }) => length > 0) ?? [];
  if (homes.length > 0) return homes;
  const home = figures.home(concept);
  if (home === 'water') return ['sea', 'lake'];
  if (home === 'air') return OPEN_SKY;
  if (home === 'deep' || home === 'space') return [home];
  return home === 'ground' ? open.filter((name) => FIRM.has(name)) : open;
}

const SCENES = ['times', 'weather', 'seasons', 'grounds', 'colours', 'moods', 'styles'] as const;

function without(reading: ReadPrompt, unwanted: ReadonlySet<string>): ReadPrompt {
  const kept = SCENES.map((kind) => [kind, reading[kind].filter((name) => !unwanted.has(name))]);
  const subjects = reading.subjects
    .filter(({ concept }) => !unwanted.has(concept))
    .map((subject) => (unwanted.has(subject.colour ?? '') ? { ...subject, colour: null } : subject));
  return { ...reading, ...Object.fromEntries(kept), subjects };
}

/** Everything that a text names. */
function namesIn(reading: ReadPrompt): string[] {
  return [
    ...SCENES.flatMap((kind) => reading[kind]),
    ...reading.negated,
    ...reading.subjects.map(({ concept }) => concept),
  ];
}
