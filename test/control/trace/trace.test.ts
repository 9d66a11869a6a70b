import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';
import { listIn, recordIn, requestsIn } from './read-trace.ts';
import { runShop, traceOf } from './run-of-shop.ts';

const emulator = await world({ settleAfter: 1 });

/** A run of the shop, which the tests below only read. */
const shop = await emulator.account({ credits: 1000 });
const { song, ...run } = await runShop(emulator, shop);
const trace = recordIn(await traceOf(emulator, { ...run, account_id: shop.id }));

it('saves in a trace the events, deliveries, endpoints, accounts, ledger and spending at the end of a run', async () => {
  const lists = { listEvents: '/events', listDeliveries: '/deliveries', listEndpoints: '/endpoints' } as const;
  for (const name of Object.keys(lists) as (keyof typeof lists)[]) {
    const { body } = await emulator.control('GET', `${lists[name]}?account_id=${shop.id}`);
    expect(listIn(trace, name), name).toEqual(masked(body.data));
  }
  expect(listIn(trace, 'listAccounts').map(({ id }) => id)).toEqual([shop.id]);
  const usage = await emulator.control('GET', `/accounts/${shop.id}/usage`);
  expect(listIn(trace, 'listUsage', shop.id)).toEqual(usage.body.data);
  const spending = await emulator.control('GET', `/spending?account_id=${shop.id}`);
  for (const key of ['summarizeSpending', `summarizeSpending ${shop.id}`]) {
    expect(trace.answers[key], key).toEqual(spending.body);
  }
});

function masked(rows: object[]): object[] {
  return JSON.parse(JSON.stringify(rows).replace(/signature=[0-9a-f]+/g, 'signature=…'));
}

it('saves each order once in a trace, with its timeline and the bodies of its steps', async () => {
  const id = song.headers.get('x-request-id') ?? '';
  const [order, ...others] = trace.orders.filter(({ ids }) => ids.includes(id));
  expect(others).toEqual([]);
  const { body: timeline } = await emulator.control('GET', `/timeline/${id}`);
  expect(timeline.steps.map(({ kind }: { kind: string }) => kind)).toContain('read');
  expect(order?.timeline.steps).toEqual(timeline.steps);
  expect(order?.timeline.line).toEqual(timeline.line);
  expect(order?.timeline.line.status.money).toEqual({ charged: 6, refunded: 3 });
  expect(order?.records[id]).toEqual((await emulator.control('GET', `/requests/${id}`)).body);
  const [charge] = listIn(trace, 'listUsage', shop.id).filter(({ type }) => type === 'refund');
  expect(order?.timeline.parts[String(charge?.id)]).toMatchObject({ type: 'refund', amount: 3 });
  const reads = requestsIn(trace).filter(({ method }) => method === 'GET');
  expect(reads.map((read) => order?.ids.includes(read.id))).toEqual([true]);
});

it('saves in a trace an event that a control operation triggered', async () => {
  const own = await world();
  const account = await own.account({ credits: 100 });
  await account.post('/webhooks', { url: 'http://127.0.0.1:9/x', events: ['image.generation.succeeded'] });
  const order = { type: 'image.generation.succeeded', workspace_id: account.workspaceId };
  const { id } = (await own.control('POST', '/events/trigger', order)).body;
  const { orders } = recordIn(await traceOf(own, { account_id: account.id }));
  expect(orders.filter(({ ids }) => ids.includes(id))).toHaveLength(1);
});

it('saves in a trace the time of a clock that was frozen and moved', async () => {
  const own = await world();
  await own.control('PUT', '/clock', { frozen: true });
  await own.advance(8 * 86_400);
  const { answers, head } = recordIn(await traceOf(own));
  expect(answers.getClock).toMatchObject({ frozen: true });
  const now = Date.parse(Object(answers.getClock).now);
  expect(Math.round((now - head.span.ended) / 86_400_000)).toBe(8);
});

it('masks a secret in an overlong line of a trace, a short secret only as a whole word, and no part of a number', async () => {
  const own = await world();
  await (await own.account()).get('/account');
  const secret = 'hunter2"ä\\key/💥 +x';
  const output = [{ at: Date.now(), from: 'out', text: `${'x'.repeat(3996)} ${secret} pin9 pin99` }];
  const digits = String(requestsIn(recordIn(await traceOf(own)))[0]?.created).slice(0, 6);
  const trace = recordIn(await traceOf(own, { output, title: 'a pin9 of pin99', secrets: [secret, 'pin9', digits] }));
  expect(trace.output.map(({ text }) => text)).toEqual([`${'x'.repeat(3996)} … …`]);
  expect(trace.head.title).toBe('a … of pin99');
  expect(requestsIn(trace).map(({ created }) => String(created).slice(0, 6))).toEqual([digits]);
});

it('saves a trace of a run without requests, and rejects unknown options', async () => {
  const own = await world();
  const { head, orders } = recordIn(await traceOf(own));
  expect(orders).toEqual([]);
  expect(head.leftOut).toEqual({ requests: 0, files: 0, rows: [] });
  expect(head.span.began).toBeLessThan(head.span.ended);
  const page = await own.control('POST', '/trace', {});
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect((await own.control('POST', '/trace', { titel: 'x' })).body.error.param).toBe('titel');
  expect((await own.control('POST', '/trace', { open_at: 1 })).status).toBe(400);
  expect((await own.control('POST', '/trace', { media: 'huge' })).status).toBe(400);
});
