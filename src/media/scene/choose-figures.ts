import { parseHexColor, type Rgb } from '../paint/rgb.ts';
import type { FigureSet, FigureShape } from './figure-set.ts';
import type { SceneSubject } from './prompt-reading.ts';
import type { Lexicon } from './scene-lexicon.ts';

export interface PlannedFigure {
  shape: FigureShape;
  count: number;
  tint: Rgb | undefined;
  holds?: PlannedFigure;
}

const PEOPLE = new Set('person man woman old-man old-woman child boy girl'.split(' '));
const OF_PERSON = new Set(['beard', 'office-worker']);
const PARTS = new Set('eye ear nose mouth hand foot tooth hair'.split(' '));
const DISHES = new Set(['bowl', 'cup', 'plate']);
const FILLABLE = new Set('amphora basket bottle bowl box bucket cup jar plate pot'.split(' '));
const NARROW = 'bottle';
const MAX_HELD = 5;

export function chooseFigures(
  { lexicon, figures }: { lexicon: Lexicon; figures: FigureSet },
  { subjects, ground }: { subjects: readonly SceneSubject[]; ground: string },
): PlannedFigure[] {
  const needed = withoutRepeats(subjects, lexicon);
  const planned = needed.flatMap(({ concept, count, colour }) => {
    // A coat in place of a raincoat, whose hood would hide the face of its wearer.
    const shape = figures.shape(concept === 'raincoat' && needed.length > 1 ? 'coat' : concept);
    const tint = colour === null ? undefined : parseHexColor(lexicon.file.colours[colour]?.tint ?? '#808080');
    return shape ? [{ shape, count, tint }] : [];
  });
  return onTable(filled(planned, lexicon), { lexicon, figures, ground });
}

function withoutRepeats(subjects: readonly SceneSubject[], { table }: Lexicon): readonly SceneSubject[] {
  const isPeopled = subjects.some(({ concept }) => PEOPLE.has(concept));
  const isServed = subjects.some(({ concept }) => table.served.has(concept));
  return subjects.filter(({ concept }, at) => {
    const isPart = (at > 0 && PARTS.has(concept)) || (isPeopled && OF_PERSON.has(concept));
    return !isPart && !(isServed && DISHES.has(concept));
  });
}

function filled(planned: readonly PlannedFigure[], { table }: Lexicon): PlannedFigure[] {
  const vessel = planned.find(({ shape }) => FILLABLE.has(shape.concept));
  const held = planned.find(({ shape }) => table.filling.has(shape.concept));
  if (!vessel || !held || (vessel.shape.concept === NARROW) !== (held.shape.concept === 'letter')) return [...planned];
  const holds = { ...held, count: Math.min(MAX_HELD, held.count) };
  return planned.filter((each) => each !== held).map((each) => (each === vessel ? { ...vessel, holds } : each));
}

function onTable(
  planned: PlannedFigure[],
  { lexicon, figures, ground }: { lexicon: Lexicon; figures: FigureSet; ground: string },
): PlannedFigure[] {
  const [first, ...others] = planned;
  const table = figures.shape('table');
  if (!first || !table || ground !== 'room') return planned;
  const { vessels, served } = lexicon.table;
  const stands = vessels.has(first.shape.concept) || served.has(first.shape.concept);
  const isSupported = others.some(({ shape }) => shape.size > first.shape.size);
  return stands && !isSupported ? [first, { shape: table, count: 1, tint: undefined }, ...others] : planned;
}
