import type { View } from '../picture/raster.ts';
import type { CameraMove } from './camera-move.ts';
import type { ClipLayout } from './clip-layout.ts';
import type { Storyboard } from './storyboard.ts';

/** What decides where the camera is. */
export interface Filmed {
  layout: ClipLayout;
  board: Storyboard;
  move: CameraMove;
}

/** Where the camera is at a frame: the scene as it is planned is seen at the beginning, or halfway where the camera roams. */
export function viewAt(filmed: Filmed, frame: number): View {
  const { board, move, layout } = filmed;
  const home = { scale: layout.height, x: layout.width / 2, y: 0 };
  const grown = growth(filmed, frame) / growth(filmed, move.roams ? board.frames / 2 : 0);
  const { centre } = move;
  return {
    scale: home.scale * grown,
    x: centre.x + (home.x - centre.x) * grown,
    y: centre.y + (home.y - centre.y) * grown,
  };
}

/** How much larger the picture has grown until a frame. */
function growth({ board, move }: Filmed, frame: number): number {
  const grown = (frames: number) => 1 + ((move.zoom - 1) * frames) / board.step;
  return grown(board.step) ** Math.floor(frame / board.step) * grown(frame % board.step);
}
