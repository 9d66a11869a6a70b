import type { OrderLine } from '../orders/order-line.ts';
import type { OrderRecords } from '../orders/order-records.ts';
import { requestDoc } from '../search/indexed-text.ts';
import { parseSearch, type SearchQuery, type Trait } from '../search/search-query.ts';
import type { Row } from './trace-file.ts';

/** An order as a search looks at it. */
export interface Sought {
  line: OrderLine;
  records: OrderRecords;
  /** All that is on record of it, in small letters. */
  text: string;
}

/** Whether an order fits what `GET /_emulator/search` takes for `q`. Throws `invalid_request` for a token that it cannot read. */
export function searchTest(q: string, now: number, accounts: readonly Row[]): (sought: Sought) => boolean {
  const query = parseSearch(q, now);
  const named = (text: string) => {
    const owners = accounts.filter(({ id, name }) => id.startsWith(text) || hasText(String(name ?? ''), text));
    return new Set<string | null>(owners.map(({ id }) => id));
  };
  const owners = query.account === undefined ? undefined : named(query.account);
  const words = query.words.map((word) => ({ word: word.toLowerCase().normalize('NFC'), owners: named(word) }));
  return (sought) => {
    const { account_id: owner } = sought.line.whose;
    const saysAll = words.every((each) => sought.text.includes(each.word) || each.owners.has(owner));
    return saysAll && (owners === undefined || owners.has(owner)) && fitsPlainly(query, sought);
  };
}

function fitsPlainly({ status, took, after, model, path, traits }: SearchQuery, sought: Sought): boolean {
  const { line, records } = sought;
  const { request } = records;
  return (
    isWithin(request?.status, status) &&
    isWithin(request?.duration_ms, took) &&
    (after === undefined || line.time.began >= after) &&
    (model === undefined || hasText(line.asked.model ?? '', model)) &&
    (path === undefined || line.call.path.includes(path)) &&
    traits.every((trait) => TRAITS[trait](sought))
  );
}

function isWithin(value: number | undefined, range: readonly [number, number] | undefined): boolean {
  return range === undefined || (value !== undefined && value >= range[0] && value <= range[1]);
}

function hasText(text: string, piece: string): boolean {
  return text.toLowerCase().includes(piece.toLowerCase());
}

const TRAITS: Record<Trait, (sought: Sought) => boolean> = {
  'is:failed': isFailed,
  'is:done': (sought) => !isFailed(sought) && !sought.line.time.is_open,
  'is:open': ({ line }) => line.time.is_open,
  'is:waiting': ({ records }) => records.run?.run.status === 'waiting',
  'is:refused': ({ line }) => line.fate.deliveries?.tone === 'bad',
  'has:refund': ({ line }) => line.fate.money.back > 0,
  'is:retry': bears('is:retry'),
  'is:cut': bears('is:cut'),
  'has:fault': bears('has:fault'),
  'has:warning': bears('has:warning'),
  'has:charge': bears('has:charge'),
  'has:job': bears('has:job'),
};

function isFailed({ line: { fate } }: Sought): boolean {
  return fate.tone === 'bad' || fate.money.back > 0 || fate.deliveries?.tone === 'bad';
}

/** What is known of a request once and for all. */
function bears(trait: Trait): (sought: Sought) => boolean {
  return ({ records: { request } }) =>
    request !== undefined && requestDoc({ ...request, position: 0 }).facts.traits.includes(` ${trait} `);
}
