import { type CameraView, grownView } from './camera-move.ts';
import type { ClipLayout } from './clip-layout.ts';
import type { SceneMotion } from './motion-field.ts';
import type { Storyboard } from './storyboard.ts';

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
