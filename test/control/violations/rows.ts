import { expect } from 'vitest';
import type { Story } from './stories.ts';
import type { TwoWorlds } from './two-worlds.ts';

/** A violation, a story that meets it, and what of the story it changes. */
export interface Row {
  violation: string;
  story: Story;
  match?: object;
  /** Beginnings of the paths at which the story differs from the original; each is met. */
  differs: string[];
  /** The ledger that is left, from the first charge on. */
  ledger?: string[];
  /** Values that were told, by path. */
  told?: Record<string, unknown>;
  /** It has made rows. */
  violated?: true;
}

/** Tells a violation to one account of two equal emulators, and compares everything that was seen. */
export async function expectTold(worlds: TwoWorlds, row: Row): Promise<void> {
  const { violation, story, differs, match } = row;
  const told = await worlds.tell({ violation }, story, match);
  const isNamed = (path: string) => differs.some((begin) => path.startsWith(begin));
  expect(told.differs.filter((path) => !isNamed(path))).toEqual([]);
  expect(differs.filter((begin) => !told.differs.some((path) => path.startsWith(begin)))).toEqual([]);
  for (const [path, value] of Object.entries(row.told ?? {})) expect(at(told.seen, path)).toEqual(value);
  expect(told.neighbour).toEqual([]);
  const { body } = await worlds.violated.control('GET', '/invariants');
  expect(body).toMatchObject({ ok: true, broken: [] });
  if (row.ledger) expect((await told.account.ledger()).slice(2)).toEqual(row.ledger);
  if (row.ledger || row.violated) expect(body.violations.at(-1)).toMatchObject({ violation });
}

function at(seen: unknown, path: string): unknown {
  return path.split('/').reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], seen);
}
