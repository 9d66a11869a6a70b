import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../../base/package/package-folder.ts';
import { nearestName } from '../../base/text.ts';

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
