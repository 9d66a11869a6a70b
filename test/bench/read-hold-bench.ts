import { rm } from 'node:fs/promises';
import path from 'node:path';
import { benchFolder } from './bench-folder.ts';
import type { BenchRow } from './bench-row.ts';
import { type WatchedServer, watchedServer } from './watched-server.ts';

const MOST_MS = 50;
const CHATS = 8000;
const IMAGES = 1000;
const AT_ONCE = 8;
/** Each is asked so often, and its shortest hold counts. */
const TIMES = 3;

const words = (q: string) => `q=${encodeURIComponent(q)}`;
const search = (q: string, more = '') => `/_emulator/search?${words(q)}${more}`;

/** Reads of all that is on record, and of its largest pages; `{account}` is the one that everything belongs to. */
const READS: Record<string, string> = {
  'the verdict of 8,000 chats of 30 KB': '/_emulator/verdict',
  'the same, of one account': '/_emulator/verdict?account_id={account}',
  'a search for two letters that are nowhere': search('qz'),
  'a search for twenty letters': search([...'qzjxkvbpygfwmucldrhs'].join(' ')),
  'a search for a word that is everywhere': search('path'),
  'a search for a word that is nowhere': search('zeppelin'),
  'a search for two words that never meet': search('where harbour'),
  'a search with an account': search('qz', '&account_id={account}'),
  'a search with an account by name': search('account:local zeppelin'),
  'a search with every trait': search('is:failed is:done is:open has:refund has:job has:charge is:refused zeppelin'),
  'a search whose nearest are dear': search('path status:200 model:svc-rp-mni is:done lead zeppelin where does'),
  'requests, a page': '/_emulator/requests',
  'requests in brief, a page': '/_emulator/requests?brief=true&limit=1000',
  'requests with a text that is nowhere': '/_emulator/requests?text=zeppelin',
  'requests of a path that is nowhere': '/_emulator/requests?path=/v1/nowhere',
  'orders, a page': '/_emulator/orders?limit=1000',
  'orders, searched': `/_emulator/orders?limit=1000&${words('path')}`,
  'jobs, a page': '/_emulator/jobs?limit=1000',
  'jobs, searched': `/_emulator/jobs?limit=1000&${words('pier')}`,
  'events, a page': '/_emulator/events?limit=1000',
  'deliveries, a page': '/_emulator/deliveries?limit=1000',
  'ledger entries, a page': '/_emulator/accounts/{account}/usage?limit=1000',
  'the sums of an account': '/_emulator/accounts/{account}/usage/summary',
  'the spending of all': '/_emulator/spending',
  'the library, a page': '/_emulator/library?limit=1000',
  'the library, searched': `/_emulator/library?limit=1000&text=zeppelin`,
  'the objects, a page': '/_emulator/objects?limit=1000',
  'the audit log, a page': '/_emulator/record?limit=1000',
  'the invariants': '/_emulator/invariants',
  'the instance': '/_emulator/instance',
  'the OpenAPI document': '/openapi.json',
  'the events of an order': '/_emulator/trail/{job}',
  'an order explained': '/_emulator/explain/{request}',
};

/** The longest that the event loop is held by a read of a record that is full. */
export async function readHolds(wanted: string): Promise<BenchRow[]> {
  const reads = Object.entries(READS).filter(([name]) => name.includes(wanted));
  if (reads.length === 0) return [];
  const folder = benchFolder();
  const server = await watchedServer(path.join(folder, 'data'), '--credits', '1000000');
  try {
    await fillRecord(server);
    return await readRows(server, reads);
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fillRecord({ url, seen }: WatchedServer): Promise<void> {
  const post = async (at: string, body: object) => {
    const headers = { authorization: 'Bearer svc_sk_local_emulator', 'content-type': 'application/json' };
    const answer = await fetch(url + at, { method: 'POST', headers, body: JSON.stringify(body) });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${at} was answered ${answer.status}`);
  };
  await post('/v1/webhooks', { url: `${url}/_emulator/inbox/bench`, events: ['image.generation.succeeded'] });
  let left = CHATS + IMAGES;
  const ask = async () => {
    while (left > 0) {
      left -= 1;
      const content = `${left} ${'Where does the path lead? '.repeat(1150)}`;
      const isImage = left % Math.floor((CHATS + IMAGES) / IMAGES) === 0;
      if (isImage) await post('/v1/images/generations', { prompt: `a pier ${left}` });
      else await post('/v1/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content }] });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  await fetch(`${url}/_emulator/wait?for=idle&timeout=60`);
  await seen();
}

async function readRows(
  { url, seen }: WatchedServer,
  reads: readonly (readonly [string, string])[],
): Promise<BenchRow[]> {
  const idOf = async (list: string) => {
    const answer = await fetch(`${url}/_emulator/${list}?limit=1`);
    return ((await answer.json()) as { data: { id: string }[] }).data[0]?.id ?? '';
  };
  // Once it is answered, all is indexed.
  await (await fetch(url + search('path'))).arrayBuffer();
  const [account, job, request] = [await idOf('accounts'), await idOf('jobs'), await idOf('requests')];
  const rows: BenchRow[] = [];
  for (const [name, read] of reads) {
    const at = read.replace('{account}', account).replace('{job}', job).replace('{request}', request);
    rows.push(await readRow({ url: url + at, seen }, name));
  }
  return rows;
}

async function readRow({ url, seen }: Pick<WatchedServer, 'url' | 'seen'>, name: string): Promise<BenchRow> {
  const held: number[] = [];
  const took: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    await seen();
    const began = performance.now();
    const answer = await fetch(url);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${url} was answered ${answer.status}`);
    took.push(performance.now() - began);
    held.push((await seen()).milliseconds);
  }
  const milliseconds = Math.min(...held);
  return {
    name,
    ours: `${milliseconds.toFixed(0)} ms`,
    theirs: `${MOST_MS} ms (in ${Math.min(...took).toFixed(0)} ms)`,
    ratio: milliseconds / MOST_MS,
    bar: '<= 1',
  };
}
