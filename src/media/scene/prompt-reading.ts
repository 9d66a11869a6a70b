import type { Cue } from './prompt-cues.ts';
import { addSubject, COLOUR_BEHIND, isScene, NEAR, plainName, type Reading, type Thing } from './prompt-subjects.ts';

const KINDS = { t: 'times', w: 'weather', s: 'seasons', g: 'grounds', c: 'colours', m: 'moods', y: 'styles' } as const;
/** Figures that do what many others do too. */
const DOERS = new Set(['walker', 'runner', 'dancer', 'swimmer', 'surfer', 'rower', 'cyclist', 'skier']);

/** Brings together what belongs together: counts and colours with their subjects, and what is said to be missing. */
export function readCues(cues: readonly Cue[]): Reading {
  const things = withoutDoubts(cues.map(thingOf));
  settleDoubles(things);
  const gone = new Set(missingOf(things));
  const reading = emptyReading();
  reading.moves = cues.some(({ names }) => names.some((name) => DOERS.has(name.replace('?', ''))));
  const used = new Set<Thing>();
  const there = things.filter((thing) => !gone.has(thing));
  for (const thing of there) if (thing.kind === 'subject') addSubject(reading, thing, { things, used });
  for (const thing of there) addScenes(reading, thing, used.has(thing) || thing.kind === 'subject');
  reading.negated = [...new Set([...gone].flatMap(({ names }) => names.slice(0, 1).map(plainName)))];
  return reading;
}

/** A colour that a subject has is not one of everything, and neither is one that a subject is called by. */
function addScenes(reading: Reading, thing: Thing, isOfSubject: boolean): void {
  for (const name of thing.names) {
    const scene = sceneOf(name);
    if (!scene || (isOfSubject && scene.kind === 'colours')) continue;
    if (!reading[scene.kind].includes(scene.name)) reading[scene.kind].push(scene.name);
  }
}

function emptyReading(): Reading {
  return {
    ...{ times: [], weather: [], seasons: [], grounds: [], colours: [], moods: [], styles: [] },
    ...{ subjects: [], negated: [], moves: false },
  };
}

function thingOf(cue: Cue): Thing {
  const doubtful = cue.names.every((name) => name.endsWith('?'));
  // What names a figure is told of as that first.
  const names = cue.names
    .map((name) => name.replace('?', ''))
    .sort((one, other) => Number(isScene(one)) - Number(isScene(other)));
  return { ...cue, names, doubtful, kind: kindOf(names) };
}

function kindOf(names: readonly string[]): Thing['kind'] {
  const small = names.find((name) => name.startsWith('p.'));
  if (small) return small.slice(2) as 'before' | 'after' | 'filler';
  if (names.some((name) => !isScene(name))) return 'subject';
  if (names.some((name) => name.startsWith('n.'))) return 'number';
  return names.some((name) => name.startsWith('c.')) ? 'colour' : 'scene';
}

/** What is doubtful counts where nothing sure is named; who runs or swims is whoever was named before. */
function withoutDoubts(things: readonly Thing[]): Thing[] {
  const sure = things.some(({ kind, doubtful }) => !doubtful && (kind === 'subject' || kind === 'scene'));
  return things.filter((thing, at) => {
    if (thing.kind !== 'subject') return true;
    const before = things.slice(0, at).some(({ kind, doubtful }) => kind === 'subject' && !doubtful);
    const does = before || things.some((other) => other.kind === 'subject' && other.from === thing.to);
    return !(thing.doubtful && sure) && !(does && thing.names.some((name) => DOERS.has(name)));
  });
}

/** `orange` beside a cat is a colour, and a fruit by itself. */
function settleDoubles(things: Thing[]): void {
  for (const thing of things) {
    const colour = thing.names.find((name) => name.startsWith('c.'));
    if (thing.kind !== 'subject' || !colour) continue;
    if (things.some((other) => other !== thing && other.kind === 'subject' && colourFits(thing, other))) {
      thing.kind = 'colour';
      thing.names = [colour];
    }
  }
}

function colourFits(colour: Thing, subject: Thing): boolean {
  const gap = COLOUR_BEHIND.has(subject.language) ? colour.from - subject.to : subject.from - colour.to;
  return gap === 0;
}

/** What a small word such as `without` takes away. */
function missingOf(things: readonly Thing[]): Thing[] {
  const solid = things.filter(({ kind }) => kind !== 'filler');
  return solid.flatMap((thing, at) => {
    if (thing.missing) return [thing];
    if (thing.kind === 'before') return missingBehind(thing, solid.slice(at + 1));
    const before = thing.kind === 'after' ? solid[at - 1] : undefined;
    return isNameable(before) && thing.from - before.to <= NEAR ? [before] : [];
  });
}

/** The next thing, and one that follows close by with `and`. */
function missingBehind(word: Thing, things: readonly Thing[]): Thing[] {
  const named = things.filter(({ kind }) => kind !== 'colour' && kind !== 'number');
  const [next, further] = named;
  if (!isNameable(next) || next.from - word.to > NEAR + 1) return [];
  return further?.kind === 'subject' && further.from - next.to === 1 ? [next, further] : [next];
}

function isNameable(thing: Thing | undefined): thing is Thing {
  return thing?.kind === 'subject' || thing?.kind === 'scene';
}

function sceneOf(name: string): { kind: (typeof KINDS)[keyof typeof KINDS]; name: string } | undefined {
  const kind = isScene(name) ? KINDS[name[0] as keyof typeof KINDS] : undefined;
  return kind && { kind, name: name.slice(2) };
}
