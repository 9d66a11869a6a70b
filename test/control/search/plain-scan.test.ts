import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Picker, Random } from '../../../src/base/random.ts';
import { Search } from '../../../src/control/search/search.ts';
import { parseSearch } from '../../../src/control/search/search-query.ts';
import { Journal } from '../../../src/engine/journal/journal.ts';
import { openDatabase } from '../../support/open-database.ts';

const REQUESTS = 1200;
const WORDS = 250;
const ANA = 'acct_ana';
const BEN = 'acct_ben';
const ownerOf = (n: number) => (n % 3 ? ANA : BEN);

/** Capitals, marks of LIKE and of a query of FTS5, letters in two forms of Unicode, other scripts, and no letters. */
const PIECES = [
  ...'Lantern HARBOUR Ünder Cafe\u0301 Café İstanbul ΟΔΟΣ straße ﬁre ランプ โคมไฟ 한국어'.split(' '),
  ...'a"b " it\'s 100% a_b \\ *'.split(' '),
  'NEAR(a b)',
  ...'AND -x ^ 🙂🙃 👩‍🚀 \0 x\0yz \n \u{1d49c}'.split(' '),
];

function open() {
  const { folder, clock, database } = openDatabase();
  const onError = (error: unknown) => expect(error).toBeUndefined();
  const journal = new Journal({ clock, file: path.join(folder, 'journal.db'), limit: 10_000, onError });
  const file = path.join(folder, 'search.db');
  const random = new Random(1);
  const search = new Search({ clock, journal, database, random, file, onError });
  onTestFinished(() => {
    search.close();
    journal.close();
  });
  return { journal, search, requestIds: random.requestIds };
}

/** Texts of requests: some words stand in most of them, some in few. */
function textsOf(random: Picker): string[] {
  return Array.from({ length: REQUESTS }, (_, n) => {
    const pieces = Array.from({ length: 3 + random.below(12) }, () => random.one(PIECES));
    return `${pieces.join(random.below(3) ? ' ' : '')} ${n % 7 ? 'morning' : 'Évening'} no. ${n}`;
  });
}

function record(journal: Journal, id: string, { n, text }: { n: number; text: string }): void {
  const facts = {
    ...{ id, account_id: ownerOf(n), key_id: null, method: 'POST', path: '/v1/chat/completions' },
    ...{ operation: null, status: 200, created: n, began: 1_900_000_000_000 + Math.floor(n / 3), duration_ms: 1 },
    ...{ retry_count: 0, credits: null, charges: [], job_ids: [] },
  };
  const bodies = { request: JSON.stringify({ content: text }), answer: null };
  journal.note({ generation: journal.generation, record: () => ({ facts, bodies }) });
}

/** A piece as a search writes it; undefined for one that it cannot write as one word. */
function written(piece: string): string | undefined {
  return [piece, `"${piece}"`].find((q) => parseSearch(q, 0).words.join() === piece);
}

/** Pieces of 1 to 8 characters. */
function wordsOf(texts: readonly string[], random: Picker): string[] {
  const words = new Set<string>();
  while (words.size < WORDS) {
    const letters = Array.from(random.one(texts));
    const from = random.below(letters.length);
    const word = written(letters.slice(from, from + 1 + random.below(8)).join(''));
    if (word !== undefined) words.add(word);
  }
  return [...words];
}

const folded = (text: string) => text.toLowerCase().normalize('NFC');

it('finds for any piece of a text what a plain scan of the records finds [I235]', async () => {
  const random = new Picker(7);
  const { journal, search, requestIds } = open();
  const texts = textsOf(random);
  const words = wordsOf(texts, random);
  const records = texts.map((text, n) => {
    const id = requestIds.next();
    record(journal, id, { n, text });
    return { id, accountId: ownerOf(n), text: folded([id, 'POST', '/v1/chat/completions', 200, text].join('\n')) };
  });
  const newest = records.reverse();
  const scanned = (q: string) => {
    const word = folded(parseSearch(q, 0).words.join());
    return word.includes('\0') ? [] : newest.filter(({ text }) => text.includes(word));
  };
  const found = (q: string) => search.idsOf('request', q, { limit: REQUESTS });
  for (const q of words) expect([q, await found(q)]).toEqual([q, scanned(q).map(({ id }) => id)]);
  expect(words.some((q) => scanned(q).length > 1000)).toBe(true);
  expect(words.filter((q) => q.includes('\0')).length).toBeGreaterThan(0);
  journal.clear(ANA);
  for (const q of words.slice(0, 50)) {
    const left = scanned(q).filter(({ accountId }) => accountId === BEN);
    expect([q, await found(q)]).toEqual([q, left.map(({ id }) => id)]);
  }
});

it('finds a phrase of many characters [I235]', async () => {
  const { journal, search, requestIds } = open();
  const text = Array.from({ length: 240 }, (_, n) => n.toString(36)).join(' ');
  const id = requestIds.next();
  record(journal, id, { n: 0, text });
  expect(await search.idsOf('request', `"${text}"`, { limit: 1 })).toEqual([id]);
  expect(await search.idsOf('request', `"${text}!"`, { limit: 1 })).toEqual([]);
});
