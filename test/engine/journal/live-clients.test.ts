import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/clock.ts';
import { Journal } from '../../../src/engine/journal/journal.ts';
import { LiveFeed } from '../../../src/engine/journal/live-feed.ts';
import { Notices } from '../../../src/engine/journal/notices.ts';
import { attachRequestContext, RequestContext } from '../../../src/service/http/request.ts';
import { Broadcast, send } from '../../../src/service/http/send.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { noReserve } from '../../support/no-reserve.ts';

/** A feed of its own behind a server; `left` resolves with each client that has gone. */
async function servedFeed() {
  const folder = emptyFolder();
  const clock = new VirtualClock();
  const notices = new Notices();
  const journal = new Journal({
    limit: 10_000,
    clock,
    file: path.join(folder, 'journal.db'),
    reserve: noReserve(folder),
    onError() {},
  });
  const live = new LiveFeed({ clock, journal, notices });
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    attachRequestContext(response, stamp());
    responses.push(response);
    void send(response, new Broadcast((sink) => live.join(sink)), 200);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    live.close();
    server.close();
    journal.close();
    clock.clear();
  });
  const { port } = server.address() as AddressInfo;
  return { live, clock, notices, responses, url: `http://127.0.0.1:${port}` };
}

function stamp() {
  return new RequestContext('req_1', { received: 0, began: 0, generation: 0 });
}

it('leaves no listener of clients that went away, however they went, and rests after the last one', async () => {
  const { live, clock, notices, responses, url } = await servedFeed();
  const leavers = Array.from({ length: 20 }, () => new AbortController());
  for (const { signal } of leavers) await fetch(url, { signal });
  expect([responses.length, live.isAwake]).toEqual([20, true]);
  const gone = responses.map((response) => once(response, 'close'));
  for (const leaver of leavers.slice(0, 10)) leaver.abort();
  for (const response of responses.slice(10)) response.destroy();
  await Promise.all(gone);
  expect(responses.map((response) => response.listenerCount('close'))).toEqual(responses.map(() => 0));
  // What waits for those that may come back ends with the clock: had anyone stayed, nothing would wait.
  clock.clear();
  expect(live.isAwake).toBe(false);
  notices.publish({ kind: 'job', id: 'job_1', accountId: null });
  expect(responses.map(({ writableLength }) => writableLength)).toEqual(responses.map(() => 0));
});

it('goes on for those who stay', async () => {
  const { live, clock, notices, responses, url } = await servedFeed();
  const leaver = new AbortController();
  await fetch(url, { signal: leaver.signal });
  const stays = await fetch(url);
  const [first] = responses;
  const gone = first ? once(first, 'close') : Promise.resolve();
  leaver.abort();
  await gone;
  clock.clear();
  expect(live.isAwake).toBe(true);
  notices.publish({ kind: 'job', id: 'job_1', accountId: null });
  let heard = '';
  for await (const chunk of stays.body ?? []) {
    heard += Buffer.from(chunk).toString();
    if (heard.includes('job_1')) break;
  }
  expect(heard).toContain('event: batch');
});
