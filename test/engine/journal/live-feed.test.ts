import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import type { Context } from '../../../src/service/http/context.ts';
import { LiveListener } from '../../support/live-listener.ts';
import { CHAT } from '../../support/wire.ts';
import { SHARED_RENDERS, world } from '../../support/world.ts';

it('sends a record of each request to live clients, without bodies', async () => {
  const emulator = await world();
  const account = await emulator.account();
  const listener = await LiveListener.join(emulator);
  await listener.next('hello');
  const { headers } = await account.post('/chat/completions', { ...CHAT, top_p: 1 });
  await account.post('/nowhere', {});
  const [chat, miss] = await listener.requests(2);
  expect(chat).toMatchObject({
    id: headers.get('x-request-id'),
    account_id: account.id,
    path: '/v1/chat/completions',
    status: 200,
    credits: 1,
    error: null,
    warnings: 'top_p',
  });
  expect(chat).not.toHaveProperty('request');
  expect(miss).toMatchObject({ status: 404, error: 'not_found', warnings: null });
  const { body } = await emulator.control('GET', '/requests?brief=true&limit=1');
  expect(body.data).toEqual([miss]);
  const one = await emulator.control('GET', `/requests/${headers.get('x-request-id')}`);
  expect(JSON.parse(one.body.request)).toMatchObject({ top_p: 1 });
  expect((await emulator.control('GET', '/requests/req_none')).status).toBe(404);
  listener.leave();
});

it('sends notices of jobs, events and control operations to live clients, and names the operations whose responses change', async () => {
  const emulator = await world();
  const account = await emulator.account();
  const listener = await LiveListener.join(emulator);
  await account.post('/images/generations', { prompt: 'a lamp' });
  await emulator.control('PUT', '/clock', { frozen: true });
  const seen = new Set<string>();
  const changed = new Set<string>();
  while (!(seen.has('job') && seen.has('event') && seen.has('control clock'))) {
    const { notices, changed: names } = (await listener.next('batch')).data;
    for (const { kind, id } of notices) seen.add(kind === 'control' ? `control ${id}` : kind);
    for (const name of names) changed.add(name);
  }
  // A charge, a job, a file, an event and the clock changed, but no flow, note or snapshot.
  expect([...changed]).toEqual(
    expect.arrayContaining(['listUsage', 'getJob', 'listLibrary', 'listEvents', 'getClock']),
  );
  expect([...changed].filter((name) => ['listFlows', 'listRecord', 'listSnapshots'].includes(name))).toEqual([]);
  // No endpoint subscribes to the event, so there is no delivery.
  expect([...seen]).not.toContain('delivery');
  listener.leave();
});

it('shows a request to live clients as open until its response', async () => {
  const emulator = await world();
  const account = await emulator.account();
  const first = await LiveListener.join(emulator);
  const { body } = await emulator.control('POST', '/holds', { match: { account_id: account.id }, at: 'request' });
  const answer = account.post('/chat/completions', CHAT);
  const openOf = async () => {
    for (;;) {
      const { open } = (await first.next('batch')).data;
      if (open) return open;
    }
  };
  const told = { method: 'POST', path: '/v1/chat/completions', account_id: account.id, began: expect.any(Number) };
  expect(await openOf()).toEqual([{ id: expect.stringMatching(/^req_/), ...told }]);
  const second = await LiveListener.join(emulator);
  expect((await second.next('hello')).data.open).toMatchObject([told]);
  await emulator.control('POST', `/holds/${body.id}/release`, {});
  expect(await openOf()).toEqual([]);
  expect((await answer).status).toBe(200);
  first.leave();
  second.leave();
});

it('continues the live stream after the last message that the client received, or reports a gap if that message is unknown', async () => {
  const emulator = await world();
  const account = await emulator.account();
  const first = await LiveListener.join(emulator);
  await account.get('/account');
  let { id, data } = await first.next('batch');
  // On a busy machine, an earlier message may have reported the request as still open.
  while (data.requests.length === 0) ({ id, data } = await first.next('batch'));
  first.leave();
  await account.get('/models');
  await account.get('/nowhere');
  const second = await LiveListener.join(emulator, id);
  expect((await second.requests(2)).map(({ path }) => path)).toEqual(['/v1/models', '/v1/nowhere']);
  second.leave();
  for (const unknown of ['another-1', `${id}9`, 'x']) {
    const third = await LiveListener.join(emulator, unknown);
    await third.next('lost');
    third.leave();
  }
});

it('reports a reset and a restore in the live stream, and continues', async () => {
  const emulator = await world();
  const listener = await LiveListener.join(emulator);
  await emulator.control('POST', '/snapshots', { name: 'kept' });
  await emulator.control('POST', '/reset');
  await listener.next('reset');
  await emulator.control('POST', '/snapshots/kept/restore');
  await listener.next('restored');
  await emulator.call('GET', '/v1/models');
  expect(await listener.requests(1)).toMatchObject([{ path: '/v1/models', status: 200 }]);
  listener.leave();
});

it('ends the live stream when the emulator stops', async () => {
  const emulator = await world();
  const listener = await LiveListener.join(emulator);
  await listener.next('hello');
  const [, hasEnded] = await Promise.all([emulator.close(), listener.ended()]);
  expect(hasEnded).toBe(true);
});

it('reports four hundred requests to a live client in fewer than two hundred messages, each request as a record or in a count of omitted ones', async () => {
  const emulator = await world();
  const account = await emulator.account();
  const listener = await LiveListener.join(emulator);
  await listener.next('hello');
  const answers = await Promise.all(Array.from({ length: 400 }, () => account.get('/account')));
  const ids = new Set(answers.map(({ headers }) => headers.get('x-request-id')));
  const told = new Set<string>();
  let leftOut = 0;
  let messages = 0;
  while (told.size + leftOut < ids.size) {
    const { requests, left_out } = (await listener.next('batch')).data;
    messages += 1;
    leftOut += left_out.requests;
    for (const { id } of requests) told.add(id);
  }
  expect([...told].every((id) => ids.has(id))).toBe(true);
  // On a busy machine the requests take seconds, with up to ten messages per second.
  expect(messages).toBeLessThan(ids.size / 2);
  listener.leave();
});

it('removes the listeners of disconnected live clients', async () => {
  const contexts: Context[] = [];
  const tally = { attach: (context: Context) => contexts.push(context), keep() {}, begin() {} };
  const emulator = await world({}, { ...SHARED_RENDERS, tally });
  const responses: ServerResponse[] = [];
  const note = (message: unknown) => void responses.push((message as { response: ServerResponse }).response);
  subscribe('http.server.request.start', note);
  onTestFinished(() => void unsubscribe('http.server.request.start', note));
  const leavers = Array.from({ length: 20 }, () => new AbortController());
  for (const { signal } of leavers) await fetch(`${emulator.url}/_emulator/live`, { signal });
  const gone = responses.map((response) => once(response, 'close'));
  expect([gone.length, contexts[0]?.records.live.isAwake]).toEqual([20, true]);
  for (const leaver of leavers.slice(0, 10)) leaver.abort();
  for (const response of responses.slice(10)) response.destroy();
  await Promise.all(gone);
  expect(responses.map((response) => response.listenerCount('close'))).toEqual(responses.map(() => 0));
  // `clear` ends the wait for clients that may reconnect. That wait begins only after all clients have left.
  contexts[0]?.clock.clear();
  expect(contexts[0]?.records.live.isAwake).toBe(false);
  contexts[0]?.records.notices.publish({ kind: 'job', id: 'job_1', accountId: null });
  expect(responses.map(({ writableLength }) => writableLength)).toEqual(responses.map(() => 0));
});
