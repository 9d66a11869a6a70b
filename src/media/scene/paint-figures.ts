import { adjustLightness, blend, luma, type Rgb } from '../paint/rgb.ts';
import { type SeededRandom, smoothNoise } from '../paint/seeded-random.ts';
import type { PlannedFigure } from './choose-figures.ts';
import type { FigureShape } from './figure-set.ts';
import { type PaintingContext, type PlacedFigure, tintByDepth } from './painter.ts';
import type { SceneLight } from './scene-plan.ts';

const WATERY: Record<string, Rgb | undefined> = { sea: undefined, lake: undefined, island: 0xe6c88f, beach: 0xe6c88f };

export function paintFigures(stage: PaintingContext): void {
  const placed = placedFigures(stage);
  const isGrounded = placed.some(({ figure }) => figure.shape.home === 'ground');
  if (stage.plan.ground in WATERY && isGrounded) paintBank(stage);
  const held = new Set(placed.map(({ figure }) => figure.holds));
  for (const each of placed) paintFigure(stage, each, held.has(each.figure));
}

export function placedFigures({
  plan,
  spread,
  floor,
}: Pick<PaintingContext, 'plan' | 'spread' | 'floor'>): PlacedFigure[] {
  const shown = plan.figures.slice(0, 1 + Math.round(plan.strength * 2));
  const scale = Math.min(1.2, 0.8 + 0.2 * plan.strength);
  const frame = { spread, floor, focus: plan.focus, ground: plan.ground, scale, rides: plan.rides };
  return placeFigures(shown, frame, plan.random.branch('figures')).flatMap(withContents);
}

/**
 * How contents are drawn, as fractions of the vessel: how far below its top they stand, how large each is, and the width
 * for all.
 */
const HELD = { down: 0.2, size: 0.62, room: 0.8 };
/** Vessels whose inside is seen, so that their contents are painted in front. */
const OPEN: Record<string, typeof HELD> = {
  bowl: { down: 0.5, size: 0.6, room: 0.7 },
  plate: { down: 0.6, size: 0.5, room: 0.7 },
  bottle: { down: 0.82, size: 0.2, room: 0.2 },
  jar: { down: 0.85, size: 0.4, room: 0.4 },
};

function withContents(vessel: PlacedFigure): PlacedFigure[] {
  const { figure, x, y, size, flip } = vessel;
  const { holds, shape } = figure;
  if (!holds) return [vessel];
  const open = OPEN[shape.concept];
  const { down, size: share, room } = open ?? HELD;
  const feet = y - size * shape.height * (1 - down);
  const step = size * share * holds.shape.width * 0.6;
  const places = inRow(holds.count, { x, room: size * shape.width * room, step });
  const contents = places.map((place) => ({ figure: holds, x: place, y: feet, size: size * share, flip }));
  return open ? [vessel, ...contents] : [...contents, vessel];
}

function paintFigure({ painter, light, plan }: PaintingContext, placed: PlacedFigure, isHeld: boolean): void {
  const { x, y, size } = placed;
  const { shape, tint } = placed.figure;
  const width = shape.width * size;
  if (shape.home === 'ground' && plan.ground !== 'space' && !isHeld) {
    painter.oval({ x, y: y - 0.002, width: width * 1.06, height: Math.min(0.05, width * 0.16) }, 0x05060c, 0.25);
  }
  painter.figure(shape, placed, { colours: figureColors(shape, light, tint), outline: outlineIn(light) });
}

function outlineIn(light: SceneLight): Rgb {
  return blend(light.dark ? 0xd8dee8 : 0xffffff, light.body, 0.25);
}

function paintBank({ painter, light, plan, floor }: PaintingContext): void {
  const seed = plan.random.branch('bank').below(9999);
  const line = (x: number) => floor - 0.075 + 0.012 * smoothNoise(seed, x * 3);
  const land = tintByDepth(light, 1, WATERY[plan.ground] ?? light.land);
  painter.below(line, [adjustLightness(land, 0.14), land, adjustLightness(land, -0.12)], 0.12);
}

/** Colors at less than this distance from the main color belong to the same surface. Black and white are 442 apart. */
const SAME_THING = 120;
/** Colors darker than this are taken for eyes and outlines, which keep their color next to a brighter main one. */
const INK = 52;
const DARKEST = 0x34353d;
const LIGHTEST = 0xf1f1ee;

export function figureColors(figure: FigureShape, light: SceneLight, tint: Rgb | undefined): Rgb[] {
  const share = light.dark ? 0.24 : 0.07;
  const lit = (colour: Rgb) => blend(colour, light.dark ? light.near : light.haze, share);
  if (tint === undefined) return figure.layers.map(({ colour }) => lit(colour));
  const main = mainColour(figure);
  return figure.layers.map(({ colour }) =>
    lit(isOfMain(colour, main) ? shaded(tint, luma(colour) - luma(main)) : colour),
  );
}

function mainColour({ layers }: FigureShape): Rgb {
  const areas = new Map<Rgb, number>();
  for (const { colour, area } of layers) {
    if (luma(colour) >= INK) areas.set(colour, (areas.get(colour) ?? 0) + area);
  }
  const [most] = [...areas].sort(([, one], [, other]) => other - one);
  return most?.[0] ?? layers[0]?.colour ?? 0x808080;
}

function isOfMain(colour: Rgb, main: Rgb): boolean {
  if (luma(colour) < INK && luma(main) >= INK) return false;
  const apart = [16, 8, 0].map((shift) => ((colour >> shift) & 255) - ((main >> shift) & 255));
  return apart.reduce((sum, part) => sum + part * part, 0) < SAME_THING * SAME_THING;
}

function shaded(tint: Rgb, change: number): Rgb {
  const base = luma(tint) < luma(DARKEST) ? DARKEST : luma(tint) > luma(LIGHTEST) ? LIGHTEST : tint;
  return adjustLightness(base, Math.max(-0.45, Math.min(0.45, change / 255)));
}

interface Frame {
  spread: number;
  floor: number;
  focus: number;
  ground: string;
  scale: number;
  rides: boolean;
}

const SMALL = 0.39;
const TALL = 0.5;
const SHRINKING = [1, 1, 0.88, 0.76, 0.64, 0.58, 0.62, 0.58, 0.54, 0.52];
const TWO_ROWS = 6;
const TABLE_TOP = 0.92;
const MOUNTS = new Set(
  [
    'horse donkey camel elephant unicorn zebra ox cow bison water-buffalo llama tiger lion dragon turtle ostrich dinosaur',
    'polar-bear bear sheep ram pig giraffe whale dolphin bicycle motorcycle motor-scooter kick-scooter rhinoceros deer',
  ].flatMap((line) => line.split(' ')),
);
const RIDER = { high: 0.85, seat: 0.42 };
const WORN: Record<string, { high: number; up: number }> = {
  coat: { high: 0.66, up: 0.1 },
  dress: { high: 0.62, up: 0.1 },
  kimono: { high: 0.66, up: 0.08 },
  shirt: { high: 0.4, up: 0.31 },
};
const WEARERS = new Set('person woman man girl boy child old-man old-woman'.split(' '));
const SURFACES = new Set(['sea', 'lake', 'beach', 'island', 'arctic']);
const IN_WATER = 0.74;

function placeFigures(figures: readonly PlannedFigure[], frame: Frame, random: SeededRandom): PlacedFigure[] {
  const [subject, ...others] = figures;
  if (!subject) return [];
  const table = others.find(({ shape }) => shape.concept === 'table');
  if (table && subject.shape.size < SMALL) {
    const aside = others.filter((one) => one !== table);
    return [...onTable({ subject, table }, frame, random), ...placeAside(aside, frame, random)];
  }
  const clothes = WEARERS.has(subject.shape.concept) ? others.find(({ shape }) => shape.concept in WORN) : undefined;
  if (clothes) {
    const bare = figures.filter((one) => one !== clothes);
    return wearing({ subject, clothes }, placeFigures(bare, frame, random));
  }
  const mount = frame.rides ? others.find(({ shape }) => MOUNTS.has(shape.concept)) : undefined;
  if (mount) return riding({ subject, mount }, frame, random);
  const [small, large] = [true, false].map((is) => others.filter(({ shape }) => shape.size < SMALL === is));
  const x = sideOf(frame) * (others.length > 0 ? 0.24 : random.between(0.02, 0.2));
  return [
    ...placeAside(large ?? [], { ...frame, reach: 0.5 }, random),
    ...placeGroup(subject, { ...frame, x, share: 1 }, random),
    ...placeAside(small ?? [], frame, random),
  ];
}

function sideOf({ focus, spread }: Frame): number {
  return focus > 0 ? spread : -spread;
}

function placeAside(group: PlannedFigure[], frame: Frame & { reach?: number }, random: SeededRandom): PlacedFigure[] {
  const { reach = 0.62 } = frame;
  return group.flatMap((figure, at) => {
    const share = figure.shape.size >= TALL ? 1 : figure.shape.size < SMALL ? 0.5 : 0.78;
    return placeGroup(figure, { ...frame, x: -sideOf(frame) * reach * (1 - 2 * at), share }, random);
  });
}

function onTable({ subject, table }: Record<'subject' | 'table', PlannedFigure>, frame: Frame, random: SeededRandom) {
  const [under] = placeGroup({ ...table, count: 1 }, { ...frame, x: 0, share: 1.5 }, random);
  if (!under) return [];
  const top = under.y - under.size * table.shape.height * TABLE_TOP;
  return [under, ...placeGroup(subject, { ...frame, x: 0, share: 0.5, floor: top + 0.037 }, random)];
}

function riding({ subject, mount }: Record<'subject' | 'mount', PlannedFigure>, frame: Frame, random: SeededRandom) {
  const count = Math.max(subject.count, mount.count);
  const mounts = placeGroup({ ...mount, count }, { ...frame, x: 0, share: 1.1 }, random);
  return mounts.flatMap((under) => {
    const high = under.size * mount.shape.height;
    const size = (high * RIDER.high) / subject.shape.height;
    return [{ ...under, figure: subject, size, y: under.y - high * RIDER.seat }, under];
  });
}

function wearing({ subject, clothes }: Record<'subject' | 'clothes', PlannedFigure>, placed: PlacedFigure[]) {
  const { high, up } = WORN[clothes.shape.concept] ?? { high: 0.6, up: 0.1 };
  return placed.flatMap((each) => {
    if (each.figure !== subject) return [each];
    const tall = each.size * subject.shape.height;
    return [each, { ...each, figure: clothes, size: (tall * high) / clothes.shape.height, y: each.y - tall * up }];
  });
}

type Group = Frame & { x: number; share: number };

function placeGroup(figure: PlannedFigure, group: Group, random: SeededRandom): PlacedFigure[] {
  const { count, shape } = figure;
  const own = random.branch(shape.concept);
  const fits = Math.min(1, group.spread * 2);
  const size = shape.size * group.share * group.scale * fits * (SHRINKING[count] ?? 0.5);
  const isAloft = shape.home === 'air' || shape.home === 'deep' || shape.home === 'space';
  const back = count >= (isAloft ? 4 : TWO_ROWS) ? Math.floor(count / 2) : 0;
  const feet = isAloft ? (shape.home === 'air' ? 0.44 : 0.6) : feetOf(shape.home, group);
  const row = (many: number, up: number, part: number) => {
    const step = size * part * Math.min(1, shape.width + 0.08);
    return inRow(many, { x: group.x, room: group.spread * 1.84, step }).map((x) => {
      const y = feet - up + (isAloft ? size * 0.1 + own.between(-0.03, 0.03) : -own.between(0, 0.008));
      return { figure, x, y, size: size * part, flip: group.x > 0 };
    });
  };
  return [...row(back, isAloft ? size * 0.85 : 0.09, isAloft ? 1 : 0.86), ...row(count - back, 0, 1)];
}

function feetOf(home: string, { ground, floor, share }: Group): number {
  if (home === 'water' && SURFACES.has(ground)) return IN_WATER;
  if (ground === 'space') return floor - 0.1;
  return floor - 0.012 - (share < 1 ? (1 - share) * 0.05 : 0);
}

function inRow(count: number, { x, room, step }: { x: number; room: number; step: number }): number[] {
  const apart = count > 1 ? Math.min(step, (room - step) / (count - 1)) : 0;
  const half = (apart * (count - 1)) / 2;
  const reach = Math.max(0, room / 2 - half - step / 2);
  const middle = Math.max(-reach, Math.min(reach, x));
  return Array.from({ length: count }, (_, at) => middle - half + apart * at);
}
