import { expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/webhooks/event-schemas.ts';
import { openBench } from './webhook-bench.ts';

const url = 'http://localhost:9/hook';

it('creates an endpoint with exactly the documented fields, and a secret beside it [R038 R039 R040 R041 R042]', async () => {
  const bench = await openBench();
  await bench.clock.set({ now: Date.UTC(2030, 0, 1), frozen: true });
  const { endpoint, secret } = await bench.webhooks.createEndpoint('ws_1', {
    url,
    events: ['image.generation.failed', 'image.generation.failed'],
    flowId: null,
  });
  expect(endpoint).toEqual({
    object: 'webhook',
    id: expect.stringMatching(/^we_[0-9a-f]{24}$/),
    url,
    events: ['image.generation.failed'],
    flowId: null,
    enabled: true,
    lastDeliveryAt: null,
    lastStatus: null,
    createdAt: '2030-01-01T00:00:00.000Z',
  });
  expect(secret).toMatch(/^whsec_[0-9A-Za-z]{32}$/);
  const other = await bench.endpoint(url);
  expect(other.secret).not.toBe(secret);
});

it("lists a workspace's endpoints newest first, without secrets [R042 R044 R197]", async () => {
  const bench = await openBench();
  const first = await bench.endpoint(`${url}/1`);
  const second = await bench.endpoint(`${url}/2`);
  await bench.endpoint(`${url}/3`, { workspaceId: 'ws_2' });
  const listed = bench.webhooks.listEndpoints('ws_1');
  expect(listed).toEqual([second.endpoint, first.endpoint]);
  expect(JSON.stringify(listed)).not.toContain('whsec_');
});

it('refuses a 26th endpoint, even of many created at one time, until one is deleted [R209 I008]', async () => {
  const bench = await openBench();
  const attempts = await Promise.allSettled(Array.from({ length: 30 }, () => bench.endpoint(url)));
  const refused = attempts.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(5);
  expect(refused[0]).toMatchObject({
    reason: { code: 'endpoint_limit_reached', message: expect.stringContaining('25') },
  });
  const [some] = bench.webhooks.listEndpoints('ws_1');
  expect(bench.webhooks.listEndpoints('ws_1')).toHaveLength(25);
  await bench.endpoint(url, { workspaceId: 'ws_2' });
  await bench.webhooks.removeEndpoint('ws_1', some?.id ?? '');
  await bench.endpoint(url);
  await expect(bench.endpoint(url)).rejects.toMatchObject({ code: 'endpoint_limit_reached' });
});

it("takes a flow of the workspace and refuses another's or none [R195 R196]", async () => {
  const bench = await openBench();
  await bench.addFlow('flow_a', 'ws_1', 'acct_1');
  await bench.addFlow('flow_b', 'ws_2', 'acct_3');
  const { endpoint } = await bench.endpoint(url, { flowId: 'flow_a' });
  expect(endpoint.flowId).toBe('flow_a');
  for (const flowId of ['flow_b', 'flow_none', '']) {
    await expect(bench.endpoint(url, { flowId })).rejects.toMatchObject({
      code: 'flow_not_found',
      param: 'flow_id',
    });
  }
  expect(bench.webhooks.listEndpoints('ws_1')).toHaveLength(1);
});

it("deletes once, and never another workspace's endpoint [R119 R198 I153]", async () => {
  const bench = await openBench();
  const { endpoint } = await bench.endpoint(url);
  expect(await bench.webhooks.removeEndpoint('ws_2', endpoint.id)).toBe(false);
  expect(bench.webhooks.listEndpoints('ws_1')).toHaveLength(1);
  expect(await bench.webhooks.removeEndpoint('ws_1', endpoint.id)).toBe(true);
  expect(await bench.webhooks.removeEndpoint('ws_1', endpoint.id)).toBe(false);
  expect(await bench.webhooks.removeEndpoint('ws_1', 'we_none')).toBe(false);
});

it.each(EVENT_TYPES)('may be subscribed to %s [R194 I070]', async (type) => {
  const bench = await openBench();
  const { endpoint } = await bench.endpoint(url, { events: [type] });
  expect(endpoint.events).toEqual([type]);
});
