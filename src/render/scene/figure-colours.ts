import { blend, type Rgb } from '../paint/palette.ts';
import { lighten, luma } from '../paint/rgb.ts';
import type { FigureShape } from './figure-set.ts';
import type { Light } from './scene-plan.ts';

/** Colours that differ less from the main one than this (of 442) are of the same thing, in light or shade. */
const SAME_THING = 120;
/** Darker than this is an eye or an outline, and stays. */
const INK = 52;
/** On a figure, black must leave its parts to be told apart. */
const DARKEST = 0x34353d;
const LIGHTEST = 0xf1f1ee;

/** What each layer of a figure is painted with, in the light of a scene and in the colour that its words name. */
export function coloursOf(figure: FigureShape, light: Light, tint: Rgb | undefined): Rgb[] {
  const share = light.dark ? 0.24 : 0.07;
  const lit = (colour: Rgb) => blend(colour, light.dark ? light.near : light.haze, share);
  if (tint === undefined) return figure.layers.map(({ colour }) => lit(colour));
  const main = mainColour(figure);
  return figure.layers.map(({ colour }) =>
    lit(isOfMain(colour, main) ? shaded(tint, luma(colour) - luma(main)) : colour),
  );
}

/** The mean brightness of a figure in given colours, 0 to 255. */
export function brightnessOf({ layers }: FigureShape, colours: readonly Rgb[]): number {
  let [sum, area] = [0, 0];
  for (const [at, layer] of layers.entries()) {
    // What lies in front covers what is behind it.
    sum = sum * (1 - Math.min(0.9, layer.area)) + luma(colours[at] ?? 0) * layer.area;
    area = area * (1 - Math.min(0.9, layer.area)) + layer.area;
  }
  return area > 0 ? sum / area : 128;
}

/** The colour of which there is most, but for ink. */
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

/** The named colour, as much lighter or darker as the layer is than the main one. */
function shaded(tint: Rgb, change: number): Rgb {
  const base = luma(tint) < luma(DARKEST) ? DARKEST : luma(tint) > luma(LIGHTEST) ? LIGHTEST : tint;
  return lighten(base, Math.max(-0.45, Math.min(0.45, change / 255)));
}
