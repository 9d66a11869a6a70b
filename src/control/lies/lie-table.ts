import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type EmulatorError, invalid } from '../../base/errors.ts';
import { fixtureFolder } from '../../base/package/package-folder.ts';
import { nearestName } from '../../base/text.ts';
import type { Effect } from '../../engine/faults/effects/effect-table.ts';
import type { FaultMatch } from '../../engine/faults/fault-rule.ts';
import { get } from '../control-operation.ts';
import { listAnswer, listOf } from '../list-page.ts';

/** The families of lies, in the order in which they harm; the first three are tried by default. */
export const LIE_FAMILIES = ['money', 'security', 'work', 'content', 'form'] as const;
export type LieFamily = (typeof LIE_FAMILIES)[number];

/** What a lie changes: an answer, an event, a file, rows of the ledger, or a job or run itself. */
export const LIE_ACTS = ['answer', 'event', 'file', 'ledger', 'job'] as const;

/** One rule of the contract that is broken in one way, as `fixtures/lies.json` describes it. */
export interface LieRow {
  name: string;
  family: LieFamily;
  /** The ids of the rules of the contract that it breaks; empty for those of any field. */
  rule: readonly string[];
  /** What happens under it, as it completes "Not caught: …". */
  words: string;
  /** What it does to the product of the user: one sentence. */
  harm: string;
  /** The cheapest assertion that notices it. */
  sees: string;
  acts: (typeof LIE_ACTS)[number];
  /** It changes rows or jobs themselves, and not only what is said of them. */
  deep: boolean;
  /** The beginnings of the paths at which it can act, as in `match.path`. */
  at: readonly string[];
}

/** What the contract allows and every test has to accept, by name: what is otherwise then. */
const LIBERTY_WORDS = {
  extra_field: 'answers have one more field',
  key_order: 'fields come in another order',
  spelling: 'the same JSON is written with other spaces and escapes',
  headers: 'there is one more header, and names of headers are in another case',
  chunked: 'answers are chunked instead of having a Content-Length',
  stream_cut: 'events of a stream are cut at other bytes, with comments between them',
  message: 'errors have another message and the same code',
  cdn_path: 'files have another path',
  one_more_poll: 'a job is processing for one more read',
  unknown_event: 'an event of an unknown type comes beside',
} as const;
export type Liberty = keyof typeof LIBERTY_WORDS;
export const LIBERTIES = Object.keys(LIBERTY_WORDS) as readonly Liberty[];

/** All 79 lies, in the order of the contract. */
export const LIES = JSON.parse(readFileSync(path.join(fixtureFolder(), 'lies.json'), 'utf8')) as readonly LieRow[];

export function lieRow(name: string): LieRow | undefined {
  return LIES.find((row) => row.name === name);
}

/** A lie in words; of one about a field, with the field. */
export function lieInWords(name: string, field?: string): string {
  const words = lieRow(name)?.words ?? name;
  return field === undefined ? words : words.replace('the field', field);
}

export function libertyInWords(name: string): string {
  return (LIBERTY_WORDS as Readonly<Record<string, string>>)[name] ?? name;
}

/** The name of a lie that is spelled most like a given one. */
export function nearestLie(name: string): string {
  return (
    nearestName(
      name,
      LIES.map((row) => row.name),
    ) ?? ''
  );
}

/** Whether a lie needs the dotted path of a field, in which `*` stands for every index of an array. */
export function takesField(name: string): boolean {
  return name.startsWith('field.');
}

/** A rule as far as it is checked before it is made. */
interface LieOrder {
  match: FaultMatch;
  effect: Effect;
  probability?: number | undefined;
}

/** Throws `invalid_request` for a lie or a liberty that there is not, or that its rule could never tell. */
export function requireLie({ match, effect, probability = 1 }: LieOrder): void {
  const { lie, liberty, field } = effect;
  if (probability !== 1) {
    throw invalid(
      'probability',
      'A lie acts until its rule is removed, each time that it can; leave probability out, or give times or match.nth.',
    );
  }
  if (match.contains !== undefined) {
    throw invalid(
      'match.contains',
      'match.contains looks at the texts of a request, and a lie at its answer; leave it out.',
    );
  }
  if (liberty !== undefined) requireLiberty(liberty);
  if (lie === undefined) return;
  const row = lieRow(lie);
  if (!row) throw unknownLie(lie);
  requireField(lie, field);
  requirePlace(match, row);
}

/** Names the nearest one. */
function unknownLie(name: string): EmulatorError {
  return invalid(
    'effect.lie',
    `effect.lie ${JSON.stringify(name)} is no lie. Did you mean ${nearestLie(name)}? GET /_emulator/lies lists them.`,
  );
}

function requireLiberty(name: string): void {
  if (LIBERTIES.some((each) => each === name)) return;
  throw invalid(
    'effect.liberty',
    `effect.liberty ${JSON.stringify(name)} is no liberty. Did you mean ${nearestName(name, LIBERTIES)}? There are ${LIBERTIES.join(', ')}.`,
  );
}

function requireField(lie: string, field: string | undefined): void {
  if (takesField(lie) && field === undefined) {
    throw invalid(
      'effect.field',
      `${lie} needs effect.field, a dotted path such as usage.credits_spent or data.*.seed.`,
    );
  }
  if (takesField(lie) || field === undefined) return;
  throw invalid(
    'effect.field',
    `effect.field has a meaning for field.missing, field.null and field.text only, not for ${lie}.`,
  );
}

function requirePlace({ path, event, content_type: type, take }: FaultMatch, { name, at, acts }: LieRow): void {
  const where = `${name} acts at ${at.join(', ')}`;
  if (path !== undefined && !at.some((prefix) => path.startsWith(prefix) || prefix.startsWith(path))) {
    throw invalid('match.path', `This rule can never tell its lie: ${where}. Change match.path, or leave it out.`);
  }
  if (event !== undefined && acts !== 'event' && !CHANGES_EVENTS.includes(name)) {
    throw invalid('match.event', `This rule can never tell its lie: ${name} changes no event. Leave match.event out.`);
  }
  if (type !== undefined && acts !== 'file') {
    throw invalid(
      'match.content_type',
      `This rule can never tell its lie: ${name} changes no file. Leave match.content_type out.`,
    );
  }
  if (take === undefined || at.some((prefix) => prefix === '/v1' || prefix === '/cdn' || prefix.startsWith(SONGS)))
    return;
  throw invalid(
    'match.take',
    `This rule can never tell its lie: only songs have takes, and ${where}. Leave match.take out.`,
  );
}

const SONGS = '/v1/music';

/** What changes answers and events alike. */
const CHANGES_EVENTS: readonly string[] = [
  'field.missing',
  'field.null',
  'field.text',
  'seed.same',
  'blocked.renamed',
  'time.ms',
];

/** One lie. `rule`: the ids of the rules of the contract that it breaks; `deep`: it changes rows, and not only answers. */
const lieRecord = z.strictObject({
  name: z.string(),
  family: z.enum(LIE_FAMILIES),
  rule: z.array(z.string()),
  harm: z.string(),
  sees: z.string(),
  acts: z.enum(LIE_ACTS),
  deep: z.boolean(),
});

export const listLies = get('listLies', '/_emulator/lies', {
  summary: 'Every lie that a fault rule can tell: what it breaks, whom it harms and what notices it.',
  ungated: true,
  answer: listAnswer(lieRecord),
  handle: () =>
    listOf(
      LIES.map(({ name, family, rule, harm, sees, acts, deep }) => {
        return { name, family, rule: [...rule], harm, sees, acts, deep };
      }),
    ),
});
