import type { Canvas } from '../paint/canvas.ts';
import { Palette } from '../paint/palette.ts';
import { visibleText } from '../paint/wrap-text.ts';
import type { ClipRequest } from '../render-request.ts';
import type { Habitat } from '../scene/figure-set.ts';
import { finishSurface, gradeStyles } from '../scene/finish-style.ts';
import { coloursOf, placedFigures } from '../scene/paint-figures.ts';
import { paintScene } from '../scene/paint-scene.ts';
import { Painter } from '../scene/painter.ts';
import { type PlannedFigure, planScene, type ScenePlan } from '../scene/scene-plan.ts';
import type { PlacedFigure, SceneKit } from '../scene/stage.ts';
import type { CameraView } from './camera-move.ts';
import { Crossing, MOVERS, OPEN, onLane } from './crossing.ts';
import type { EngineLook } from './engine-look.ts';

/** Where figures are that stand in nobody's way. */
const ALOFT = new Set<Habitat>(['air', 'space']);
/** Where neither rain nor snow comes. */
const COVERED = new Set(['room', 'deep', 'space']);
const FALLING = ['rain', 'storm', 'snow'] as const;
const WATERS = new Set(['sea', 'beach', 'lake', 'island', 'arctic', 'deep']);
/** Below this there is land or water, or else the lane that somebody crosses on would stand before the sky. */
const HIGH_HORIZON = 0.48;
/** Nothing important lies below. */
const FLOOR = 0.84;

/** A moment of a clip, and from where it is seen. */
interface Shown {
  view: CameraView;
  frame: number;
  crossing: Crossing | undefined;
}

export type Falling = (typeof FALLING)[number];

/** One clip's world, painted anew for each key picture from where the camera then is. */
export class ClipScene {
  readonly plan: ScenePlan;
  readonly #kit: SceneKit;
  readonly #request: ClipRequest;
  /** The same for all key pictures: a colour that is found anew in each would jump from one to the next. */
  readonly #palette = new Palette();

  constructor(kit: SceneKit, request: ClipRequest) {
    this.#kit = kit;
    this.#request = request;
    const plan = planScene(kit, {
      ...{ prompt: request.prompt, negativePrompt: request.negativePrompt, seed: request.seed },
      ...{ lighting: request.lighting, strength: 1 },
    });
    // The scene's first figure keeps to one side and the named ones to the other; more would stand among them.
    const kept = plan.figures.filter((figure, at) => at === 0 || ALOFT.has(figure.shape.home));
    this.plan = request.figures.length > 0 ? { ...plan, figures: kept } : plan;
    if (this.crossing(1)) this.plan = { ...this.plan, horizon: Math.min(plan.horizon, HIGH_HORIZON) };
  }

  get hasWater(): boolean {
    return WATERS.has(this.plan.ground);
  }

  /** What falls under the open sky; undefined where nothing does. */
  get falling(): Falling | undefined {
    const { weather, ground } = this.plan;
    return COVERED.has(ground) ? undefined : FALLING.find((each) => each === weather);
  }

  /** What crosses the picture: subjects of a kind that move by themselves, where nothing stands in their way. */
  crossing(frames: number): Crossing | undefined {
    const { going, resting } = this.#goers();
    const home = going[0]?.shape.home;
    if (!home || this.#request.figures.length > 0) return undefined;
    if (home === 'air' && resting.some(({ shape }) => ALOFT.has(shape.home))) return undefined;
    const placed = onLane(this.#placed(going), { flies: home === 'air', alone: resting.length === 0 });
    return new Crossing(placed, { spread: this.#spread, side: this.plan.focus > 0 ? 1 : -1, frames });
  }

  get #spread(): number {
    return this.#request.width / this.#request.height / 2;
  }

  #placed(figures: PlannedFigure[]): PlacedFigure[] {
    return placedFigures({ plan: { ...this.plan, figures }, spread: this.#spread, floor: FLOOR });
  }

  #goers(): Record<'going' | 'resting', PlannedFigure[]> {
    const { figures, ground } = this.plan;
    const isFree = (home: Habitat) =>
      home === 'ground' ? !COVERED.has(ground) : OPEN[home]?.includes(ground) === true;
    const movers = figures.filter(({ shape }) => MOVERS.has(shape.concept) && isFree(shape.home));
    const going = movers.filter(({ shape }) => shape.home === movers[0]?.shape.home);
    return { going, resting: figures.filter((figure) => !going.includes(figure)) };
  }

  paint(canvas: Canvas, shown: Shown, look: EngineLook): void {
    const { view, frame, crossing } = shown;
    const own = canvas.palette;
    canvas.palette = this.#palette;
    const painter = new Painter(canvas, view, this.#kit.silhouettes);
    const { plan } = this;
    const isMoving = this.falling !== undefined;
    const goers = crossing?.at(frame);
    const resting = crossing && this.#placed(this.#goers().resting).map((each) => crossing.outOfTheWay(each));
    const where = { spread: this.#spread, floor: FLOOR, isMoving, goers, resting };
    paintScene({ painter, plan, light: plan.light, ...where });
    this.#paintFigures(painter, look);
    canvas.palette = own;
    own.copy(this.#palette);
    gradeStyles(canvas, plan.styles);
    canvas.palette.recolour(look.grade);
    finishSurface(
      canvas,
      plan.styles.filter((style) => style === 'pixel'),
    );
  }

  /** Named figures side by side on the ground, each with its name over its head. */
  #paintFigures(painter: Painter, look: EngineLook): void {
    const { figures, width, height } = this.#request;
    const spread = width / height / 2;
    const shown = figures.slice(0, 6);
    const shared = this.plan.figures.some((figure) => !ALOFT.has(figure.shape.home));
    const aside = this.plan.focus > 0 ? -1 : 1;
    for (const [index, figure] of shown.entries()) {
      const { subjects } = this.#kit.lexicon.read(`${figure.name} ${figure.kind} ${figure.handle}`);
      const concept = subjects[0]?.concept ?? 'person';
      const shape = this.#kit.figures.shape(concept) ?? this.#kit.figures.shape('person');
      const size = Math.min(0.24, (spread * (shared ? 0.9 : 1.2)) / Math.max(3, shown.length));
      const x = shared
        ? aside * spread * (0.95 - (0.75 * (index + 0.5)) / shown.length)
        : ((index + 1) / (shown.length + 1) - 0.5) * spread * 1.7;
      const y = 0.79 + (index % 2) * 0.015;
      if (!shape) continue;
      const placed = { x, y, size, flip: x > 0 };
      painter.figure(
        shape,
        placed,
        shape.layers.map(() => look.accent),
        0.006,
      );
      painter.figure(shape, placed, coloursOf(shape, this.plan.light, undefined));
      this.#nameTag(painter, { x, y: y - size * 1.02, name: visibleText(figure.name || figure.handle) }, look);
    }
  }

  #nameTag(painter: Painter, tag: { x: number; y: number; name: string }, look: EngineLook): void {
    const { canvas, view } = painter;
    const { lettering } = this.#kit;
    const size = Math.max(14, Math.round(Math.min(this.#request.width, this.#request.height) / 40));
    const name = tag.name.length > 24 ? `${[...tag.name].slice(0, 23).join('')}…` : tag.name;
    const half = Math.ceil(lettering.measure(name, size) / 2) + Math.round(size * 0.5);
    const [x, bottom] = [Math.round(tag.x * view.scale + view.x), Math.round(tag.y * view.scale + view.y)];
    const top = bottom - Math.round(size * 1.5);
    canvas.fillBox([x - half, top, x + half, bottom], canvas.palette.ensure(look.bar));
    canvas.fillBox([x - half, bottom - 3, x + half, bottom], canvas.palette.ensure(look.accent));
    const place = canvas.palette.ensure(0xffffff);
    lettering.draw(canvas, name, { x: x - half + size * 0.5, baseline: top + Math.round(size * 1.05), size, place });
  }
}
