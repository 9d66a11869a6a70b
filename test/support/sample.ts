import { hash } from 'node:crypto';

const SEED = process.env.SAMPLE_SEED ?? '1';

/** Whether this is the long run, which tries all rows, and what the gate leaves to it. */
export const isWhole: boolean = process.env.SAMPLES === 'whole';

/** Rows of a table, in its order: as many as the gate tries, drawn by `SAMPLE_SEED`, and under `npm run test:long` every one. */
export function sampleOf<Row>(rows: readonly Row[], count: number): Row[] {
  return isWhole ? [...rows] : drawnOf(rows, count);
}

/** Some rows of a table, in its order, drawn by `SAMPLE_SEED`. */
export function drawnOf<Row>(rows: readonly Row[], count: number): Row[] {
  const lot = (index: number) => hash('sha256', `${SEED}:${rows.length}:${index}`);
  const drawn = [...rows.keys()].sort((a, b) => (lot(a) < lot(b) ? -1 : 1)).slice(0, count);
  return rows.filter((_, index) => drawn.includes(index));
}
