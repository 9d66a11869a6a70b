import { type CameraView, grownView, verticalReach } from './camera-move.ts';
import { BLOCK, type ClipLayout } from './clip-layout.ts';
import type { SceneMotion } from './motion-field.ts';
import type { FramePlan, Storyboard } from './storyboard.ts';

interface Filmed {
  layout: ClipLayout;
  board: Storyboard;
  motion: Pick<SceneMotion, 'move'>;
}

/** The scene as it is planned. */
export function homeView({ height, width }: ClipLayout): CameraView {
  return { scale: height, x: width / 2, y: 0 };
}

/** Where the camera is at a frame: the scene as it is planned is seen at the beginning, or halfway where the camera roams. */
export function viewAt(filmed: Filmed, frame: number): CameraView {
  const { board, motion, layout } = filmed;
  const { move } = motion;
  const halfway = move.roams ? board.frames / 2 : 0;
  const home = grownView(homeView(layout), move, 1 / growth(filmed, halfway));
  return grownView(home, move, growth(filmed, frame));
}

/** How much larger the picture has grown until a frame. */
function growth({ board, motion }: Filmed, frame: number): number {
  const grown = (frames: number) => 1 + ((motion.move.zoom - 1) * frames) / board.step;
  let times = grown(frame % board.step);
  for (let left = frame; left >= board.step; left -= board.step) times *= grown(board.step);
  return times;
}

/** Rows of macroblocks above the slate that are slices of their own. */
export interface Band {
  from: number;
  to: number;
  /** Rows above and below it that are looked at when it is moved. */
  reach: number;
  /** Whether a subject crosses it, so that it is different in each frame. */
  isCrossed: boolean;
}

const BANDS = 3;
/** What interpolation looks at beside a macroblock, and what rounding adds. */
const FRINGE = 4;

/** The bands of a clip: one where nothing falls and nothing crosses. */
export function bandsOf(plan: FramePlan): Band[] {
  const { layout, motion, weather, crossing } = plan;
  const pixels = verticalReach(motion.move, layout.barRow * BLOCK) + FRINGE;
  const reach = Math.ceil(pixels / BLOCK);
  const count = weather || crossing ? BANDS : 1;
  const edges = Array.from({ length: count + 1 }, (_, at) => Math.round((layout.barRow * at) / count));
  return edges.slice(1).map((to, at) => {
    const band = { from: edges[at] ?? 0, to, reach, isCrossed: false };
    return { ...band, isCrossed: isCrossed(plan, band) };
  });
}

/** Whether a row lies in a band or is looked at from there. */
export function isBeside({ from, to, reach }: Band, row: number): boolean {
  return row >= from - reach && row < to + reach;
}

function isCrossed(plan: FramePlan, { from, to, reach }: Band): boolean {
  const { crossing, board } = plan;
  if (!crossing) return false;
  return board.stretches.some((stretch) => {
    const { y, height } = crossing.box(stretch.from, viewAt(plan, stretch.from));
    return y < (to + reach) * BLOCK && y + height > (from - reach) * BLOCK;
  });
}
