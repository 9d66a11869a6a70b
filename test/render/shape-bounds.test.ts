import { expect, it } from 'vitest';
import { Canvas, fillShape } from '../../src/render/paint/canvas.ts';
import { Palette } from '../../src/render/paint/palette.ts';

const [WIDTH, HEIGHT] = [64, 48];

/** Columns in which anything was drawn, and rows. */
function drawn(points: number[]): { columns: number[]; rows: number[] } {
  const canvas = new Canvas(WIDTH, HEIGHT, new Palette());
  canvas.palette.add(0x000000);
  fillShape(canvas, [points], canvas.palette.add(0xffffff));
  const [columns, rows] = [new Set<number>(), new Set<number>()];
  for (const [at, place] of canvas.pixels.entries()) {
    if (place === 0) continue;
    columns.add(at % WIDTH);
    rows.add(Math.floor(at / WIDTH));
  }
  const sorted = (values: Set<number>) => [...values].sort((one, other) => one - other);
  return { columns: sorted(columns), rows: sorted(rows) };
}

it.each([
  ['a beam that widens beyond the right side', [40, 24, 120, -20, 120, 70]],
  ['a star whose points lie beyond it', [50, 4, 90, 20, 60, 24, 110, 30, 50, 44, 70, 24]],
  ['a shape with a hole, half outside', [40, 4, 100, 4, 100, 44, 40, 44, 80, 24]],
])('draws nothing of %s at the left side', (_, points) => {
  const { columns } = drawn(points);
  expect(columns[0]).toBeGreaterThanOrEqual(39);
  expect(columns.at(-1)).toBe(WIDTH - 1);
});

it.each([
  ['left', [-40, 4, -3, 24, -40, 44, -60, 24]],
  ['right', [70, 4, 120, 24, 70, 44, 66, 24]],
])('draws nothing of what lies wholly to the %s', (_, points) => {
  expect(drawn(points)).toEqual({ columns: [], rows: [] });
});

it('keeps to the rows of the picture', () => {
  const { columns, rows } = drawn([10, -30, 20, -30, 30, 90, 5, 90]);
  expect(rows).toEqual(Array.from({ length: HEIGHT }, (_, row) => row));
  expect(columns.at(-1)).toBeLessThan(30);
});
