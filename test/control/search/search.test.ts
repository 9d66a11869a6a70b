import { expect, it } from 'vitest';
import { IS_AND_HAS_TERMS, parseSearch } from '../../../src/control/search/search-query.ts';
import { journalled } from '../../support/striking.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();

async function found(q: string, account_id: string, object = 'request'): Promise<string[]> {
  const { body } = await emulator.control('GET', `/search?${new URLSearchParams({ q, account_id })}`);
  return (body.data as { object: string; id: string }[]).flatMap((each) => (each.object === object ? each.id : []));
}

const say = (content: string) => ({ ...CHAT, messages: [{ role: 'user', content }] });
const idOf = (answer: { headers: Headers }) => answer.headers.get('x-request-id') ?? '';

it('finds requests by words of their bodies in three writing systems and any letter case, newest first and in pages [I235]', async () => {
  const account = await emulator.account({ credits: 100 });
  const first = idOf(await account.post('/chat/completions', say('Where is the brass Lantern?')));
  const second = idOf(await account.post('/chat/completions', say('The LANTERN and ランプ and โคมไฟ')));
  expect(await found('lantern', account.id)).toEqual([second, first]);
  expect(await found('ランプ', account.id)).toEqual([second]);
  expect(await found('ンプ', account.id)).toEqual([second]);
  expect(await found('โคม', account.id)).toEqual([second]);
  expect(await found('"brass lantern"', account.id)).toEqual([first]);
  expect(await found('lantern zebra', account.id)).toEqual([]);
  const page = `/orders?q=lantern&account_id=${account.id}&limit=1&after=${second}`;
  expect((await emulator.control('GET', page)).body.data).toMatchObject([{ id: first }]);
});

it('finds a request by its model, and shows its prompt, although its body is too long to be recorded in full', async () => {
  const account = await emulator.account({ credits: 100 });
  const long = say(`${'lamp '.repeat(4000)}and no more`);
  const cut = idOf(await account.post('/chat/completions', { metadata: { model: 'other' }, ...long }));
  const whole = idOf(await account.post('/chat/completions', { metadata: { model: 'other' }, ...CHAT }));
  const ids = async (q: string) => await found(q, account.id);
  expect(await ids(`model:${CHAT.model}`)).toEqual([whole, cut]);
  expect(await ids('model:other')).toEqual([]);
  const { body } = await emulator.control('GET', `/orders?account_id=${account.id}`);
  const { request } = body.data.find(({ id }: { id: string }) => id === cut);
  expect(request).toMatchObject({ model: CHAT.model, prompt: expect.stringMatching(/^lamp lamp /) });
});

it('filters search results by status, model, path, duration, state and time [I235]', async () => {
  const account = await emulator.account({ credits: 12 });
  const good = idOf(await account.post('/chat/completions', CHAT));
  const poor = idOf(await account.post('/videos/generations', { prompt: 'a lamp' }));
  const failed = idOf(await account.post('/images/generations', { prompt: 'a lamp [[fail]]' }));
  const ids = async (q: string) => await found(q, account.id);
  for (const q of ['402', 'status:402']) expect(await ids(q)).toEqual([poor]);
  expect(await ids('status:4xx')).toEqual([poor]);
  expect(await ids('model:rp-mini')).toEqual([good]);
  expect(await ids('path:/v1/images')).toEqual([failed]);
  expect(await ids('has:refund')).toEqual([failed]);
  expect(await ids('is:failed')).toEqual([failed, poor]);
  expect(await ids('is:done')).toEqual([good]);
  expect(await ids('lamp is:failed status:402')).toEqual([poor]);
  expect(await ids('took:>10min')).toEqual([]);
  expect(await ids('after:1min')).toHaveLength(3);
  expect(await ids('after:2100-01-01')).toEqual([]);
});

it('finds an order by the name of its account, and requests, jobs and ledger entries by an id or the start of one [I235]', async () => {
  const account = await emulator.account({ credits: 100, name: 'Harbour nightly' });
  const request = idOf(await account.post('/images/generations', { prompt: 'a pier' }));
  const job = (await emulator.control('GET', `/jobs?account_id=${account.id}`)).body.data[0].id;
  expect(await found('harbour', account.id)).toEqual([request]);
  expect(await found('account:nightly', account.id)).toEqual([request]);
  expect(await found(job.slice(0, -3), account.id, 'job')).toEqual([job]);
  expect(await found(job, account.id)).toEqual([request]);
  const ids = await found(request, account.id, 'entry');
  expect(ids).toHaveLength(1);
  expect(await found(String(ids[0]), account.id, 'entry')).toEqual(ids);
});

it('returns each request and job once, even if their times are equal [I235]', async () => {
  const own = await world();
  const account = await own.account({ credits: 500 });
  await Promise.all(
    Array.from({ length: 12 }, (_, n) => account.post('/images/generations', { prompt: `a newt, number ${n}` })),
  );
  // A record that is added during paging may be placed before the current page.
  await journalled(account, 12);
  const page = async (after: string) => {
    const { body } = await own.control('GET', `/search?q=newt&limit=5${after && `&after=${after}`}`);
    return body.data as { object: string; id: string }[];
  };
  const seen: string[] = [];
  for (let part = await page(''); part.length > 0; part = await page(part.at(-1)?.id ?? '')) {
    // Ledger entries do not count: the charges of the first page's orders are placed before that page.
    seen.push(...part.flatMap(({ object, id }) => (object === 'entry' ? [] : id)));
  }
  expect(seen).toHaveLength(24);
  expect(new Set(seen).size).toBe(24);
});

it.each(['search', 'orders', 'jobs', 'deliveries', 'runs', 'library'])(
  'finds nothing in the list %s for a text with a NUL character [I267]',
  async (list) => {
    const account = await emulator.account({ credits: 100 });
    await account.post('/images/generations', { prompt: 'a lamp at night' });
    for (const q of ['lamp\0night', 'a\0', '"lamp at\0"', 'model:svc\0']) {
      const query = new URLSearchParams({ [list === 'library' ? 'text' : 'q']: q, account_id: account.id });
      const { status, body } = await emulator.control('GET', `/${list}?${query}`);
      expect([status, body.data]).toEqual([200, []]);
    }
  },
);

it('uses each search term once and at most twenty terms, and searches a term with an unknown prefix as a word [I235]', () => {
  const query = parseSearch(`${'is:failed '.repeat(90)}lamp lamp`, 0);
  expect(query.traits).toEqual(['is:failed']);
  expect(query.words).toEqual(['lamp']);
  const many = parseSearch(
    `${IS_AND_HAS_TERMS.join(' ')} ${Array.from({ length: 30 }, (_, n) => `w${n}`).join(' ')}`,
    0,
  );
  expect([many.traits.length, many.words.length]).toEqual([IS_AND_HAS_TERMS.length, 20 - IS_AND_HAS_TERMS.length]);
  expect(parseSearch('constructor:x http://a.b/', 0).words).toEqual(['constructor:x', 'http://a.b/']);
});

it('names the fields of each search result that contain the words [I266]', async () => {
  const account = await emulator.account({ credits: 100, name: 'Amethyst shop' });
  const other = await emulator.account({ credits: 100 });
  const id = idOf(await other.post('/images/generations', { prompt: 'A lighthouse of amethyst in the fog' }));
  await account.get('/account');
  const hits = async (q: string) => {
    const { body } = await emulator.control('GET', `/search?${new URLSearchParams({ q })}`);
    return body.data as { object: string; id: string; account_id: string; fields: string[] }[];
  };
  await emulator.until(async () => (await hits('amethyst')).length >= 4);
  const found = await hits('amethyst');
  const fieldsOf = (object: string, owner = other) =>
    found.flatMap((hit) => (hit.object === object && hit.account_id === owner.id ? [hit.fields] : []));
  expect(fieldsOf('request')).toEqual([['request']]);
  expect(fieldsOf('job')).toEqual([['parameters']]);
  expect(fieldsOf('entry')).toEqual([[]]);
  expect(fieldsOf('request', account)).toEqual([['account']]);
  const request = async (q: string) => (await hits(q)).find((hit) => hit.id === id)?.fields;
  expect(await request(id)).toContain('id');
  expect(await request('AMETHYST "/images/generations"')).toEqual(['request', 'path']);
  expect(await request(`is:done account:${other.id}`)).toEqual([]);
  const [entry] = found.filter(({ object }) => object === 'entry');
  expect(await hits(entry?.id ?? '')).toContainEqual({ ...entry, fields: ['id'] });
});

it.each([
  ['it\u2019s 100% "fine" a_b \\ *', ['100%', 'a_b', '"100% "', '\\', '\u2019s', 'FINE']],
  ['Évening at the Café, Ünder the ΟΔΟΣ', ['évening', 'ÜNDER', 'cafe\u0301', 'οδος'.slice(0, 3), 'CAFÉ']],
  ['first line\nsecond line 🙂🙃 한국어', ['line', '🙃', '국어', '"line 🙂"']],
])(
  'finds parts of the text %j in any letter case, and treats characters that are special in SQL or JSON literally [I235]',
  async (text, pieces) => {
    const account = await emulator.account({ credits: 100 });
    const id = idOf(await account.post('/chat/completions', say(text)));
    await account.post('/chat/completions', say('something else: 1000, axb'));
    for (const q of pieces) expect([q, await found(q, account.id)]).toEqual([q, [id]]);
  },
);
