import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type EmulatorError, invalid } from '../../base/errors.ts';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import { nearestName } from '../../base/text.ts';
import type { Effect } from '../../engine/faults/effects/effect-table.ts';
import type { RuleMatch } from '../../engine/faults/fault-rule.ts';
import { get } from '../control-operation.ts';
import { listAnswer, listOf } from '../list-page.ts';

export const VIOLATION_FAMILIES = ['money', 'security', 'work', 'files', 'streams'] as const;
type ViolationFamily = (typeof VIOLATION_FAMILIES)[number];

const VIOLATION_ACTS = ['answer', 'event', 'file', 'ledger', 'job'] as const;

/** A row of `fixtures/violations.json`. */
interface ViolationRow {
  name: string;
  family: ViolationFamily;
  rule: readonly string[];
  words: string;
  harm: string;
  sees: string;
  acts: (typeof VIOLATION_ACTS)[number];
  deep: boolean;
  /** Path prefixes, as in `match.path`. */
  at: readonly string[];
}

export const CHANGE_WORDS = {
  extra_field: 'responses have an additional field',
  key_order: 'fields come in another order',
  spelling: 'the same JSON is written with other spaces and escapes',
  headers: 'responses have an additional header, and header names are in another case',
  chunked: 'responses are chunked and have no Content-Length',
  stream_cut: 'the events of a stream are split into chunks at other bytes, with comments between them',
  message: 'errors have the same code and another message',
  cdn_path: 'files have another path',
  one_more_poll: 'a job stays in processing for one more read',
  unknown_event: 'an additional event of an unknown type is sent',
} as const;
export type CompatibleChange = keyof typeof CHANGE_WORDS;
export const COMPATIBLE_CHANGES = Object.keys(CHANGE_WORDS) as readonly CompatibleChange[];

export const VIOLATIONS = JSON.parse(
  readFileSync(path.join(packageDataFolder(), 'violations.json'), 'utf8'),
) as readonly ViolationRow[];

export function violationRow(name: string): ViolationRow | undefined {
  return VIOLATIONS.find((row) => row.name === name);
}

export function changeInWords(name: string): string {
  return (CHANGE_WORDS as Readonly<Record<string, string>>)[name] ?? name;
}

export interface ProposedRule {
  match: RuleMatch;
  effect: Effect;
  probability?: number | undefined;
}

export function optionsOf(field: string): readonly (readonly string[])[] | undefined {
  if (field === 'compatible_change') return COMPATIBLE_CHANGES.map((name) => [name, name]);
  return field === 'violation' ? VIOLATIONS.map(({ name, harm }) => [name, name, harm]) : undefined;
}

/** Throws `invalid_request` for an unknown name, or for a rule that could never apply. */
export function requireViolation({ match, effect, probability = 1 }: ProposedRule): void {
  const { violation, compatible_change } = effect;
  if (probability !== 1) {
    throw invalid(
      'probability',
      'A violation acts every time until its rule is removed. Leave probability out, or set times or match.nth.',
    );
  }
  if (match.contains !== undefined) {
    throw invalid(
      'match.contains',
      'match.contains matches requests, and a violation changes responses. Leave match.contains out.',
    );
  }
  if (compatible_change !== undefined) requireChange(compatible_change);
  if (violation === undefined) return;
  const row = violationRow(violation);
  if (!row) throw unknownViolation(violation);
  requirePlace(match, row);
}

const NAMES = VIOLATIONS.map(({ name }) => name);

function unknownViolation(name: string): EmulatorError {
  return invalid(
    'effect.violation',
    `effect.violation ${JSON.stringify(name)} is not a violation. Did you mean ${nearestName(name, NAMES)}? GET /_emulator/violations lists them.`,
  );
}

function requireChange(name: string): void {
  if (COMPATIBLE_CHANGES.some((each) => each === name)) return;
  throw invalid(
    'effect.compatible_change',
    `effect.compatible_change ${JSON.stringify(name)} is not a compatible change. Did you mean ${nearestName(name, COMPATIBLE_CHANGES)}? There are ${COMPATIBLE_CHANGES.join(', ')}.`,
  );
}

function requirePlace({ path, event, content_type: type, take }: RuleMatch, { name, at, acts }: ViolationRow): void {
  const where = `${name} acts at ${at.join(', ')}`;
  if (path !== undefined && !at.some((prefix) => path.startsWith(prefix) || prefix.startsWith(path))) {
    throw invalid('match.path', `This rule can never apply: ${where}. Change match.path, or leave it out.`);
  }
  if (event !== undefined && acts !== 'event' && name !== 'seed.same') {
    throw invalid('match.event', `This rule can never apply: ${name} changes no event. Leave match.event out.`);
  }
  if (type !== undefined && acts !== 'file') {
    throw invalid(
      'match.content_type',
      `This rule can never apply: ${name} changes no file. Leave match.content_type out.`,
    );
  }
  if (take === undefined || at.some((prefix) => prefix === '/v1' || prefix === '/cdn' || prefix.startsWith(SONGS)))
    return;
  throw invalid('match.take', `This rule can never apply: only songs have takes, and ${where}. Leave match.take out.`);
}

const SONGS = '/v1/music';

/** `rule`: the ids of the broken rules. `deep`: it changes rows, not only responses. */
const violationRecord = z.strictObject({
  name: z.string(),
  family: z.enum(VIOLATION_FAMILIES),
  rule: z.array(z.string()),
  harm: z.string(),
  sees: z.string(),
  acts: z.enum(VIOLATION_ACTS),
  deep: z.boolean(),
});

export const listViolations = get('listViolations', '/_emulator/violations', {
  summary: 'Lists every violation, with the rule that it breaks, the harm, and the assertion that catches it.',
  ungated: true,
  answer: listAnswer(violationRecord),
  handle: () =>
    listOf(
      VIOLATIONS.map(({ name, family, rule, harm, sees, acts, deep }) => {
        return { name, family, rule: [...rule], harm, sees, acts, deep };
      }),
    ),
});
