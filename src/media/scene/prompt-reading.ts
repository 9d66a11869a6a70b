import type { Cue } from './prompt-cues.ts';

export interface SceneSubject {
  concept: string;
  count: number;
  colour: string | null;
}

export interface PromptReading {
  times: string[];
  weather: string[];
  seasons: string[];
  grounds: string[];
  colours: string[];
  moods: string[];
  styles: string[];
  subjects: SceneSubject[];
  moves: boolean;
  negated: string[];
}

const KINDS = { t: 'times', w: 'weather', s: 'seasons', g: 'grounds', c: 'colours', m: 'moods', y: 'styles' } as const;
/** Names for people who do what other figures can do too. */
const DOERS = new Set(['walker', 'runner', 'dancer', 'swimmer', 'surfer', 'rower', 'cyclist', 'skier']);
const NEAR = 2;
const COLOUR_BEHIND = new Set(['fr', 'es', 'pt', 'it', 'ar', 'he', 'th', 'vi', 'id']);
const LOOSE = new Set(['zh', 'zh-Hant', 'ja', 'th', 'ko', 'vi', 'id']);
const SEVERAL = 3;
const MOST = 9;

interface Thing extends Cue {
  kind: 'subject' | 'scene' | 'colour' | 'number' | 'before' | 'after' | 'filler';
  doubtful: boolean;
}

export function readCues(cues: readonly Cue[]): PromptReading {
  const all = cues.map(thingOf);
  const things = withoutDoubts(all).map((thing, _at, others) => settled(thing, others));
  const gone = new Set(missingOf(things));
  const there = things.filter((thing) => !gone.has(thing));
  const used = new Set<Thing>();
  const subjects = there.filter(({ kind }) => kind === 'subject').map((thing) => subjectOf(thing, things, used));
  const reading: PromptReading = {
    times: [],
    weather: [],
    seasons: [],
    grounds: [],
    colours: [],
    moods: [],
    styles: [],
    subjects: subjects.filter((one, at) => subjects.findIndex((other) => isSame(one, other)) === at),
    moves: all.some(({ names }) => names.some((name) => DOERS.has(name))),
    negated: [...new Set([...gone].map(({ names }) => plainName(names[0] ?? '')))],
  };
  for (const thing of there) addScenes(reading, thing, used.has(thing) || thing.kind === 'subject');
  return reading;
}

function isSame(one: SceneSubject, other: SceneSubject): boolean {
  return one.concept === other.concept && one.colour === other.colour;
}

function addScenes(reading: PromptReading, { names }: Thing, isOfSubject: boolean): void {
  for (const name of names) {
    const kind = isScene(name) ? KINDS[name[0] as keyof typeof KINDS] : undefined;
    if (!kind || (isOfSubject && kind === 'colours')) continue;
    if (!reading[kind].includes(plainName(name))) reading[kind].push(plainName(name));
  }
}

function thingOf(cue: Cue): Thing {
  const names = cue.names.map((name) => name.replace('?', ''));
  names.sort((one, other) => Number(isScene(one)) - Number(isScene(other)));
  return { ...cue, names, doubtful: cue.names.every((name) => name.endsWith('?')), kind: kindOf(names) };
}

function kindOf(names: readonly string[]): Thing['kind'] {
  const small = names.find((name) => name.startsWith('p.'));
  if (small) return small.slice(2) as 'before' | 'after' | 'filler';
  if (names.some((name) => !isScene(name))) return 'subject';
  if (names.some((name) => name.startsWith('n.'))) return 'number';
  return names.some((name) => name.startsWith('c.')) ? 'colour' : 'scene';
}

/** Guesses count only if nothing certain is named. `runner` adds no figure if another one is named before it. */
function withoutDoubts(things: readonly Thing[]): Thing[] {
  const sure = things.filter(({ kind, doubtful }) => !doubtful && (kind === 'subject' || kind === 'scene'));
  return things.filter((thing) => {
    if (thing.kind !== 'subject') return true;
    const named = sure.some(
      ({ kind, from, to }) => kind === 'subject' && (from < thing.from || from === thing.to) && to,
    );
    return !(thing.doubtful && sure.length > 0) && !(named && thing.names.some((name) => DOERS.has(name)));
  });
}

/** `orange` is a color next to a cat, and a fruit alone. */
function settled(thing: Thing, things: readonly Thing[]): Thing {
  const colour = thing.names.find((name) => name.startsWith('c.'));
  if (thing.kind !== 'subject' || !colour) return thing;
  const isBeside = ({ kind, language, from, to }: Thing) =>
    kind === 'subject' && (COLOUR_BEHIND.has(language) ? thing.from === to : from === thing.to);
  return things.some(isBeside) ? { ...thing, kind: 'colour', names: [colour] } : thing;
}

/** Things excluded by a word such as `without`: the next one, a second one after `and`, or the previous one. */
function missingOf(things: readonly Thing[]): Thing[] {
  const solid = things.filter(({ kind }) => !['filler', 'colour', 'number'].includes(kind));
  return solid.flatMap((word, at) => {
    const [before, next, further] = [solid[at - 1], solid[at + 1], solid[at + 2]];
    if (word.kind === 'after') return isNamed(before) && word.from - before.to <= NEAR ? [before] : [];
    if (word.kind !== 'before' || !isNamed(next) || next.from - word.to > NEAR + 1) return [];
    return further?.kind === 'subject' && further.from - next.to === 1 ? [next, further] : [next];
  });
}

function isNamed(thing: Thing | undefined): thing is Thing {
  return thing?.kind === 'subject' || thing?.kind === 'scene';
}

function subjectOf(thing: Thing, things: readonly Thing[], used: Set<Thing>): SceneSubject {
  const free = (kind: Thing['kind']) => things.filter((other) => other.kind === kind && !used.has(other));
  const ahead = (other: Thing) => between(other, thing, things) <= NEAR;
  const before = free('colour').find(ahead);
  const behind = free('colour').find((other) => between(thing, other, things) <= NEAR);
  const colour = COLOUR_BEHIND.has(thing.language) ? (behind ?? before) : before;
  const number = numberIn(thing) ? thing : (free('number').find(ahead) ?? numberBehind(thing, free('number'), things));
  for (const found of [colour, number]) if (found) used.add(found);
  return {
    concept: thing.names.find((name) => !isScene(name)) ?? '',
    count: number ? Math.min(MOST, Math.max(1, Number(numberIn(number)))) : thing.several ? SEVERAL : 1,
    colour: colour ? plainName(colour.names.find((name) => name.startsWith('c.')) ?? '') : null,
  };
}

function numberIn({ names }: Thing): string | undefined {
  return names.find((name) => name.startsWith('n.'))?.slice(2);
}

function numberBehind(subject: Thing, numbers: readonly Thing[], things: readonly Thing[]): Thing | undefined {
  const isBefore = (number: Thing) => things.some(({ kind, from }) => kind === 'subject' && from === number.to);
  return subject.language === 'en'
    ? undefined
    : numbers.find((number) => between(subject, number, things) <= 1 && !isBefore(number));
}

function between(one: Thing, other: Thing, things: readonly Thing[]): number {
  if (one.to > other.from) return Number.POSITIVE_INFINITY;
  const inside = things.filter((thing) => thing.from >= one.to && thing.to <= other.from);
  const parts = ({ kind, language }: Thing) => kind === 'subject' || (kind === 'filler' && !LOOSE.has(language));
  if (inside.some(parts)) return Number.POSITIVE_INFINITY;
  return inside.reduce((gap, { from, to }) => gap - (to - from), other.from - one.to);
}

function isScene(name: string): boolean {
  return /^[a-z]\./.test(name);
}

function plainName(name: string): string {
  return isScene(name) ? name.slice(2) : name;
}
