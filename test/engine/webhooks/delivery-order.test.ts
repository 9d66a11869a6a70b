import { expect, it } from 'vitest';
import type { Received } from '../../support/receiver.ts';
import { openBench } from './webhook-bench.ts';

/** Requests that wait until the test lets them go. */
class Gate {
  readonly #waiting: (() => void)[] = [];

  pass(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Lets the one that came first go on; answers whether there was one. */
  open(): boolean {
    const next = this.#waiting.shift();
    next?.();
    return next !== undefined;
  }
}

const jobOf = (request: Received) => JSON.parse(request.body).data.id;

it('sends to one endpoint one after another, in the order of the events [I074]', async () => {
  const bench = await openBench();
  let open = 0;
  let most = 0;
  const receiver = await bench.receiver({
    reply: async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise(setImmediate);
      open -= 1;
      return {};
    },
  });
  await bench.endpoint(receiver.origin);
  const ids = Array.from({ length: 20 }, (_, n) => `job_${n}`);
  await Promise.all(ids.map((id) => bench.publish({ id })));
  await bench.closed(20);
  expect(receiver.requests.map(jobOf)).toEqual(ids);
  expect(most).toBe(1);
});

it('does not let a slow endpoint hold up another [I074]', async () => {
  const bench = await openBench();
  const gate = new Gate();
  const slow = await bench.receiver({ reply: () => gate.pass().then(() => ({})) });
  const quick = await bench.receiver();
  await bench.endpoint(slow.origin);
  await bench.endpoint(quick.origin);
  await bench.publish({ id: 'job_1' });
  await bench.publish({ id: 'job_2' });
  await bench.closed(2);
  await slow.received(1);
  expect(quick.requests.map(jobOf)).toEqual(['job_1', 'job_2']);
  expect(slow.requests.map(jobOf)).toEqual(['job_1']);
  expect(bench.webhooks.pending()).toBe(2);

  gate.open();
  await slow.received(2);
  gate.open();
  await bench.webhooks.settled();
  expect(slow.requests.map(jobOf)).toEqual(['job_1', 'job_2']);
  expect(bench.webhooks.pending()).toBe(0);
});

it('has at most 64 attempts in flight, and gives the waiting endpoints their turn', async () => {
  const bench = await openBench();
  const gate = new Gate();
  const receiver = await bench.receiver({ reply: () => gate.pass().then(() => ({})) });
  const workspaces = ['ws_a', 'ws_b', 'ws_c', 'ws_d'];
  for (const id of workspaces) {
    await bench.addWorkspace(id, [`acct_${id}`]);
    for (let n = 0; n < 20; n += 1) {
      await bench.endpoint(`${receiver.origin}/${id}/${n}`, { workspaceId: id });
    }
  }
  const type = 'image.generation.succeeded' as const;
  await bench.database.transact((tx) => {
    for (const workspaceId of workspaces) {
      const accountId = `acct_${workspaceId}`;
      bench.webhooks.events.publish(tx, { type, workspaceId, accountId, data: { id: 'job_1' } });
    }
  });
  await receiver.received(64);
  const having = (wanted: string) => bench.deliveries().filter(({ status }) => status === wanted);
  expect(having('attempted')).toHaveLength(64);
  expect(having('due')).toHaveLength(16);
  while (gate.open());
  await receiver.received(80);
  while (gate.open());
  await bench.webhooks.settled();
  expect(having('delivered')).toHaveLength(80);
  expect(new Set(receiver.requests.map(({ path }) => path)).size).toBe(80);
});

it('sends nothing that is due once its endpoint is deleted [R119]', async () => {
  const bench = await openBench();
  const receiver = await bench.receiver({ reply: 'hang' });
  const { endpoint } = await bench.endpoint(receiver.origin);
  await bench.publish({ id: 'job_1' });
  await bench.publish({ id: 'job_2' });
  await receiver.received(1);
  expect(await bench.webhooks.removeEndpoint('ws_1', endpoint.id)).toBe(true);
  await bench.publish({ id: 'job_3' });
  await bench.webhooks.settled();

  expect(receiver.requests.map(jobOf)).toEqual(['job_1']);
  expect(bench.deliveries().map(({ status, error }) => ({ status, error }))).toEqual([
    { status: 'failed', error: 'the endpoint was deleted before this delivery was sent' },
    { status: 'failed', error: 'the endpoint was deleted during this attempt' },
  ]);
  expect(bench.webhooks.listEvents({ limit: 10 })).toHaveLength(3);
});

it('never connects for a delivery that was claimed in the turn of the deletion [R119]', async () => {
  const bench = await openBench();
  const receiver = await bench.receiver();
  const { endpoint } = await bench.endpoint(receiver.origin);
  await bench.publish();
  await bench.webhooks.removeEndpoint('ws_1', endpoint.id);
  await bench.webhooks.settled();
  expect(receiver.connections).toBe(0);
  expect(bench.deliveries()).toMatchObject([{ status: 'failed', response_status: null }]);
});
