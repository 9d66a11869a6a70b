import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../base/package/package-folder.ts';

/** What one of the fifteen statements is known by. */
export interface StatementRow {
  id: number;
  /** Follows "Your integration". */
  text: string;
  /** Deviations by name whose runs are evidence; `kill` is all of that family. */
  deviations: readonly string[];
  /** Lies whose notice is evidence; `hook` is all of that family. */
  lies: readonly string[];
  /** Codes of the verdict that break it. */
  codes: readonly string[];
  /** What the tests have to do before there is anything to try, in words. */
  needs: string;
  /** Of one that an option of its own looks at: why nothing did without it, and the words of a command that would. */
  missing?: { why: string; next: string };
  /** How it is mended, in a sentence or two. */
  mend: string;
}

const NOTHING = { deviations: [], lies: [], codes: [], needs: 'more traffic' };

/** In their order, as `fixtures/check-statements.json` has them. */
export const STATEMENTS: readonly StatementRow[] = JSON.parse(
  readFileSync(path.join(fixtureFolder(), 'check-statements.json'), 'utf8'),
).map((row: Partial<StatementRow>) => ({ ...NOTHING, ...row }));

/** Whether a name is one of those, or of the family of one: `kill:during` of `kill`, `refund.none` of `refund`. */
export function isAmong(name: string, names: readonly string[]): boolean {
  return names.some((each) => name === each || name.startsWith(`${each}:`) || name.startsWith(`${each}.`));
}

/** The statement by its number. */
export function statementRow(id: number): StatementRow | undefined {
  return STATEMENTS.find((each) => each.id === id);
}
