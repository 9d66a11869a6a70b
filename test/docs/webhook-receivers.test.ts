import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/engine/webhooks/event-schemas.ts';
import { freePort } from '../support/free-port.ts';
import { world } from '../support/world.ts';
import { pageReceivers, runReceiver } from './page-receivers.ts';

const here = await world();
const receivers = pageReceivers();
const hasPython = spawnSync('python3', ['--version']).status === 0;
const runnable = [...receivers].filter(([file]) => hasPython || !file.endsWith('.py'));

it('shows six webhook receivers: for Express, Fastify, Next.js, Hono, Node and Python', () => {
  expect([...receivers.keys()]).toEqual([
    ...['express-receiver.mjs', 'fastify-receiver.mjs', 'app/events/route.js'],
    ...['hono-receiver.mjs', 'node-receiver.mjs', 'receiver.py'],
  ]);
});

it.each(runnable)(
  'shows the receiver %s, which accepts genuine deliveries, handles each event once, and passes every check of a receiver test [R214 R215 R216 I127]',
  async (file, code) => {
    const account = await here.account();
    const port = await freePort();
    const endpoint = { url: `http://127.0.0.1:${port}/events`, events: EVENT_TYPES };
    const { secret } = (await account.post('/webhooks', endpoint)).body;
    const { url, terminal } = await runReceiver(file, code, secret, { port });
    const idle = `/wait?for=idle&account_id=${account.id}&timeout=120`;

    await account.post('/images/generations', { prompt: 'a pier' });
    for (const type of EVENT_TYPES) {
      await here.control('POST', '/events/trigger', { type, workspace_id: account.workspaceId });
    }
    await here.control('GET', idle);
    const deliveries = await account.deliveries();
    expect(deliveries).toHaveLength(1 + EVENT_TYPES.length);
    expect(deliveries.map(({ status }) => status)).toEqual(deliveries.map(() => 'delivered'));
    await terminal.shows('received flow.run.waiting');
    const [first] = deliveries;
    await here.control('POST', `/deliveries/${first?.id}/redeliver`);
    await here.control('GET', idle);

    const order = { url, secret, timeout_seconds: 5 };
    const { body: card } = await here.control('POST', '/verify', order);
    expect(card.checks.filter(({ verdict }: { verdict: string }) => verdict !== 'pass')).toEqual([]);
    // One event of the order, one of the trigger, and those that a correct receiver accepts in the report card.
    const expected = 2 + pictureEvents(card.checks);
    const picture = 'received image.generation.succeeded\n';
    const shown = await terminal.shows(picture, expected);
    expect(shown.split(picture)).toHaveLength(expected + 1);
    expect(await account.ledger()).toEqual(['grant 50', 'charge -10']);
  },
);

/** The number of different image events that a receiver accepts in a report card. A duplicate counts once. */
function pictureEvents(checks: { name: string; correct: string }[]): number {
  const others = /^(event:(?!image\.generation\.succeeded)|out_of_order|large_body|unknown_type)/;
  return checks.filter(({ name, correct }) => correct === '2xx' && !others.test(name)).length;
}
