import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Choice, readChoices } from '../../base/package/choice-table.ts';
import { fixtureFolder } from '../../base/package/fixture-folder.ts';
import type { Difference } from './compare.ts';
import type { AnswerShape, CaseShape, What } from './shapes.ts';

/** What a difference touches: a rule of the specification, a choice of the emulator, or neither. */
export interface Touched {
  rule?: string;
  choice?: string;
}

/** Of `fixtures/drift-rules.json`: whose differences belong to which rule or choice; the first row that fits counts. */
interface RuleRow {
  id: string;
  operations: readonly string[];
  what?: readonly What[];
  /** Dotted; one that ends in `**` is everything below. */
  paths?: readonly string[];
  /** The last word of a case's name. */
  cases?: readonly string[];
  /** Of refusals, or of answers that are none. */
  error?: boolean;
  /** Of the refusal here. */
  codes?: readonly string[];
}

/** Which rule or choice a difference touches. */
export class Attribution {
  readonly #rules: readonly RuleRow[] = JSON.parse(
    readFileSync(path.join(fixtureFolder(), 'drift-rules.json'), 'utf8'),
  );
  readonly #choices: readonly Choice[] = readChoices();

  of({ id, operation }: CaseShape, difference: Difference, here: AnswerShape): Touched {
    const name = id.split(' ').at(-1) ?? '';
    const row = this.#rules.find((each) => fits(each, { operation, name, difference, here }));
    if (row) return row.id.startsWith('C') ? { choice: row.id } : { rule: row.id };
    const choice = this.#touching(operation, difference, here);
    return choice === undefined ? {} : { choice };
  }

  /** The choice that names the field, or the code of the refusal, of this operation rather than of any. */
  #touching(operation: string, { what, path: at }: Difference, here: AnswerShape): string | undefined {
    const field = at?.split('.').findLast((step) => step !== '*') ?? '';
    const codes = here.fields['error.code']?.words ?? [];
    const scored = this.#choices.map(({ id, touches: { operations, fields, codes: own } }) => {
      const place = operations.includes(operation) ? 2 : operations.includes('*') ? 1 : 0;
      const isNamed = fields.includes(field) || (what === 'status' && own.some((code) => codes.includes(code)));
      return { id, score: isNamed ? place : 0 };
    });
    return scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score)[0]?.id;
  }
}

interface Met {
  operation: string;
  name: string;
  difference: Difference;
  here: AnswerShape;
}

function fits(
  { operations, what, paths, cases, error, codes }: RuleRow,
  { operation, name, difference, here }: Met,
): boolean {
  if (!operations.includes(operation) && !operations.includes('*')) return false;
  if (what && !what.includes(difference.what)) return false;
  if (cases && !cases.includes(name)) return false;
  const isError = here.status >= 400;
  if (codes && !codes.includes(here.fields['error.code']?.words?.[0] ?? '')) return false;
  if (error !== undefined ? error !== isError : isError && !cases) return false;
  return paths === undefined || paths.some((each) => isBelow(difference.path ?? '', each));
}

function isBelow(at: string, pattern: string): boolean {
  return pattern.endsWith('**') ? at.startsWith(pattern.slice(0, -2)) : at === pattern;
}
