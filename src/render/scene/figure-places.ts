import type { SeededRandom } from '../paint/seeded-random.ts';
import type { PlannedFigure } from './scene-plan.ts';
import type { PlacedFigure } from './stage.ts';

export interface Frame {
  /** Half the visible width. */
  spread: number;
  /** Nothing important lies below. */
  floor: number;
  /** Where the eye is led, -1 to 1. */
  focus: number;
  ground: string;
  /** How large figures are drawn: 1 is usual. */
  scale: number;
  /** Whether the subject is said to ride. */
  rides: boolean;
}

/** Things this small stand beside what is larger at half their size. */
const SMALL = 0.39;
/** Houses and trees stand behind what is before them. */
const TALL = 0.5;
/** How much smaller each of several is. */
const SHRINKING = [1, 1, 0.88, 0.76, 0.64, 0.58, 0.62, 0.58, 0.54, 0.52];
/** From here on they stand in two rows. */
const TWO_ROWS = 6;
/** How high the middle of a table's top is. */
const TABLE_TOP = 0.92;
/** What carries somebody on its back. */
const MOUNTS = new Set(
  [
    'horse donkey camel elephant unicorn zebra ox cow bison water-buffalo llama tiger lion dragon turtle ostrich dinosaur',
    'polar-bear bear sheep ram pig giraffe whale dolphin bicycle motorcycle motor-scooter kick-scooter rhinoceros deer',
  ].flatMap((line) => line.split(' ')),
);
/** Their backs are as high as their heads. */
const HIGH_BACKED = new Set('elephant camel bison rhinoceros bear polar-bear turtle whale pig'.split(' '));
/** A rider is so high, of what is ridden, and the feet are hidden so high behind it. */
const RIDER = { high: 0.85, seat: 0.36, highSeat: 0.56 };
/** Where what swims has its foot, by ground. */
const WATERS: Record<string, number> = {
  sea: 0.74,
  lake: 0.74,
  beach: 0.66,
  island: 0.74,
  arctic: 0.76,
  space: 0.66,
  deep: 0.7,
};

/** Where fish and whales look out of the water. */
const SURFACES = new Set(['sea', 'lake', 'beach', 'island', 'arctic']);

/** Places all figures, those behind first: the subject in front, what else is named beside and behind it. */
export function placeFigures(figures: readonly PlannedFigure[], frame: Frame, random: SeededRandom): PlacedFigure[] {
  const [subject, ...others] = figures;
  if (!subject) return [];
  const table = others.find(({ shape }) => shape.concept === 'table');
  if (table && subject.shape.size < SMALL) return onTable(subject, { table, frame }, random);
  const mount = frame.rides ? others.find(({ shape }) => MOUNTS.has(shape.concept)) : undefined;
  if (mount) return riding(subject, { mount, frame }, random);
  const side = frame.focus > 0 ? 1 : -1;
  const small = others.filter(({ shape }) => shape.size < SMALL);
  const large = others.filter(({ shape }) => shape.size >= SMALL);
  const middle = others.length > 0 ? side * frame.spread * 0.24 : side * frame.spread * random.between(0.02, 0.2);
  const behind = large.flatMap((figure, at) =>
    placeGroup(
      figure,
      { ...frame, x: -side * frame.spread * (0.5 - 0.9 * at), share: figure.shape.size >= TALL ? 1 : 0.78 },
      random,
    ),
  );
  const beside = small.flatMap((figure, at) =>
    placeGroup(figure, { ...frame, x: -side * frame.spread * (0.62 - 1.24 * at), share: 0.5 }, random),
  );
  return [...behind, ...placeGroup(subject, { ...frame, x: middle, share: 1 }, random), ...beside];
}

/** Small things lie on the table that is named with them. */
function onTable(
  subject: PlannedFigure,
  { table, frame }: { table: PlannedFigure; frame: Frame },
  random: SeededRandom,
): PlacedFigure[] {
  const group = { ...frame, x: 0, share: 1.5 };
  const [under] = placeGroup({ ...table, count: 1 }, group, random);
  if (!under) return [];
  const top = under.y - under.size * table.shape.height * TABLE_TOP;
  const above = { ...frame, x: 0, share: 0.5, floor: top + 0.037 };
  return [under, ...placeGroup(subject, above, random)];
}

/** Each on one of its own: behind its back, so that only who sits there is seen. */
function riding(
  subject: PlannedFigure,
  { mount, frame }: { mount: PlannedFigure; frame: Frame },
  random: SeededRandom,
): PlacedFigure[] {
  const count = Math.max(subject.count, mount.count);
  const mounts = placeGroup({ ...mount, count }, { ...frame, x: 0, share: 1.1 }, random);
  return mounts.flatMap((under) => {
    const high = under.size * mount.shape.height;
    const size = (high * RIDER.high) / subject.shape.height;
    const seat = HIGH_BACKED.has(mount.shape.concept) ? RIDER.highSeat : RIDER.seat;
    return [{ ...under, figure: subject, size, y: under.y - high * seat }, under];
  });
}

type Group = Frame & { x: number; share: number };

function placeGroup(figure: PlannedFigure, group: Group, random: SeededRandom): PlacedFigure[] {
  const own = random.branch(figure.shape.concept);
  const { count, shape } = figure;
  const home = shape.home === 'deep' && SURFACES.has(group.ground) ? 'water' : shape.home;
  const fits = Math.min(1, group.spread * 2);
  const size = shape.size * group.share * group.scale * fits * (SHRINKING[count] ?? 0.5);
  if (shape.home === 'air' || shape.home === 'deep' || shape.home === 'space')
    return afloat(figure, { ...group, size }, own);
  const feet = feetOf(home, group);
  const back = count >= TWO_ROWS ? Math.floor(count / 2) : 0;
  const flip = group.x > 0;
  const row = (many: number, { y, part }: { y: number; part: number }) =>
    inRow(many, { x: group.x, room: group.spread * 1.84, step: size * part * Math.min(1, shape.width + 0.08) }).map(
      (x) => ({ figure, x, y: y - own.between(0, 0.008), size: size * part, flip }),
    );
  return [...row(back, { y: feet - 0.09, part: 0.86 }), ...row(count - back, { y: feet, part: 1 })];
}

/** On the ground; what swims is further out where there is water. */
function feetOf(home: string, { ground, floor, share }: Group): number {
  const water = WATERS[ground];
  if (home === 'water' && water !== undefined) return water;
  if (ground === 'space') return floor - 0.1;
  return floor - 0.012 - (share < 1 ? (1 - share) * 0.05 : 0);
}

/** Middles side by side, drawn together where there is no room. */
function inRow(count: number, { x, room, step }: { x: number; room: number; step: number }): number[] {
  const apart = count > 1 ? Math.min(step, (room - step) / (count - 1)) : 0;
  const half = (apart * (count - 1)) / 2;
  const reach = Math.max(0, room / 2 - half - step / 2);
  const middle = Math.max(-reach, Math.min(reach, x));
  return Array.from({ length: count }, (_, at) => middle - half + apart * at);
}

/** In the sky, under water or among the stars: loosely in two or three rows. */
function afloat(figure: PlannedFigure, group: Group & { size: number }, random: SeededRandom): PlacedFigure[] {
  const { count, shape } = figure;
  const columns = Math.min(count, count > 4 ? Math.ceil(count / 2) : count > 3 ? 2 : count);
  const low = shape.home === 'air' ? 0.44 : 0.6;
  const step = group.size * 1.08;
  return Array.from({ length: count }, (_, at) => {
    const rowAt = Math.floor(at / columns);
    const inRowCount = Math.min(columns, count - rowAt * columns);
    const [x = 0] = inRow(inRowCount, { x: group.x, room: group.spread * 1.84, step }).slice(at % columns);
    const y = low + group.size * (count > columns ? 0.35 - rowAt * 0.85 : 0.1) + random.between(-0.03, 0.03);
    return { figure, x: x + random.between(-0.01, 0.01), y, size: group.size, flip: group.x > 0 };
  });
}
