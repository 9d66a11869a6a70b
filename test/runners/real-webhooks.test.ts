import { expect, it, onTestFinished } from 'vitest';
import { RealClient } from '../../src/runners/real-client.ts';
import { openWebhooks } from '../../src/runners/real-webhooks.ts';
import { freePort } from '../support/free-port.ts';
import { world } from '../support/world.ts';

const service = await world({ settleAfter: '0' });

/** A suite on a service of which the address is known, with a port of its own unless one is given. */
async function suite(given?: number) {
  const port = given ?? (await freePort());
  const { key } = await service.account({ plan: 'studio', credits: 1000 });
  const target = { url: service.url, key };
  const webhooks = await openWebhooks(target, { url: `http://127.0.0.1:${port}`, port });
  onTestFinished(() => webhooks.close());
  const client = new RealClient(target, webhooks);
  const ask = async (base: string, method: string, more: object = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${base}/v1/webhooks`, { method, headers, ...more });
    return (await response.json()) as { webhooks: { url: string }[] };
  };
  const subscribe = (base: string, url: string) =>
    ask(base, 'POST', { body: JSON.stringify({ url, events: ['image.generation.succeeded'] }) });
  const endpoints = async () => (await ask(service.url, 'GET')).webhooks.map(({ url }) => url);
  const begin = (name: string) => client.begin({ titles: [name], file: 'a.test.ts' });
  return { port, client, webhooks, subscribe, endpoints, begin };
}

it('keeps an inbox that was opened beside the tests, and deletes those of a test with it', async () => {
  const { client, webhooks, subscribe, endpoints, begin } = await suite();
  const whole = client.inbox('whole');
  await subscribe(client.url, whole.url);
  const test = begin('one');
  const own = client.inbox('own');
  expect(client.inbox('own').url).toBe(own.url);
  await subscribe(client.url, own.url);
  expect((await endpoints()).toSorted()).toEqual([own.url, whole.url].toSorted());
  await client.end(test, { outcome: 'failed' });
  expect(await endpoints()).toEqual([whole.url]);
  expect((await fetch(own.url, { method: 'POST', body: '{}' })).status).toBe(404);
  expect((await fetch(whole.url, { method: 'POST', body: '{}' })).status).toBe(200);
  await webhooks.close();
  expect(await endpoints()).toEqual([]);
});

it('keeps tests that run at once apart, and deletes what another client has made for them', async () => {
  const { client, subscribe, endpoints, begin } = await suite();
  const tests = [begin('one'), begin('two')] as const;
  const [one, two] = [client.inbox('box'), client.inbox('box')];
  expect(one.url).not.toBe(two.url);
  await subscribe(service.url, one.url);
  await subscribe(client.url, two.url);
  await client.end(tests[0], { outcome: 'passed' });
  expect(await endpoints()).toHaveLength(2);
  await fetch(one.url, { method: 'POST', body: '{"n":1}', headers: { 'svc-signature': 't=1,v1=00' } });
  expect(await one.messages()).toMatchObject([{ body: '{"n":1}', signature: { verified: null } }]);
  expect(await two.messages()).toEqual([]);
  await client.end(tests[1], { outcome: 'passed' });
  expect(await endpoints()).toEqual([]);
});

it('says at the wait that the port is taken, with the remedy', async () => {
  const first = await suite();
  const test = first.begin('one');
  const held = first.client.inbox();
  expect(await held.messages()).toEqual([]);
  const second = await suite(first.port);
  second.begin('two');
  await expect(second.client.inbox().wait()).rejects.toThrow(
    /SVC_WEBHOOK_PORT .*EADDRINUSE.*run one test file at a time/,
  );
  await first.client.end(test, { outcome: 'passed' });
});
