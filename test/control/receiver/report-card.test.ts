import { expect, it } from 'vitest';
import type { ReportCard } from '../../../src/control/receiver/report-card.ts';
import { EVENT_TYPES } from '../../../src/engine/webhooks/event-schemas.ts';
import { SIGNATURE_HEADER, verifySignature } from '../../../src/engine/webhooks/signature.ts';
import { eventSchema } from '../../../src/events.ts';
import { openReceiver, type Received, Receiver, type Reply } from '../../support/receiver.ts';
import { expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const here = await world();
const secret = 'whsec_of_the_test';

/** A receiver that verifies signatures with the helper of the package. */
function careful({ headers, body }: Received): Reply {
  try {
    verifySignature({ secret, payload: body, header: headers[SIGNATURE_HEADER] });
    return { status: 204 };
  } catch {
    return { status: 400 };
  }
}

async function tryOut(reply: Reply, order: object = {}): Promise<[ReportCard, Receiver]> {
  const receiver = await openReceiver(reply);
  const url = `${receiver.origin}/events`;
  return [(await here.control('POST', '/verify', { url, secret, timeout_seconds: 5, ...order })).body, receiver];
}

function verdicts({ checks }: ReportCard): Record<string, string> {
  return Object.fromEntries(checks.map(({ name, verdict }) => [name, verdict]));
}

it('passes a receiver that verifies and parses events with helpers of the package, and sends it every event type and a body of 2 MiB [R214 R215 R216]', async () => {
  const [card, receiver] = await tryOut((request) => {
    const isRead = eventSchema.safeParse(JSON.parse(`${request.body}`)).success;
    return isRead ? careful(request) : { status: 400 };
  });
  expect(card.checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  expect(card).toMatchObject({ object: 'report_card', ok: true, failed: 0, skipped: 0 });
  expect(card.passed).toBe(card.checks.length);
  const types = receiver.requests.map(({ body }) => JSON.parse(body).type);
  expect(types).toEqual(expect.arrayContaining([...EVENT_TYPES]));
  expect(Math.max(...receiver.requests.map(({ body }) => body.length))).toBe(2 * 1_048_576);
});

it('sends each test delivery with its own event id, except the duplicate', async () => {
  const [, receiver] = await tryOut(careful);
  const ids = receiver.requests.map(({ body }) => JSON.parse(body).id);
  // One event is sent twice.
  expect(new Set(ids).size).toBe(ids.length - 1);
  for (const { method, headers, body } of receiver.requests) {
    expect(method).toBe('POST');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'svc-emulator/1.0',
      'svc-emulator-event': expect.stringMatching(/^evt_/),
      'svc-emulator-delivery': expect.stringMatching(/^dlv_/),
      'content-length': `${Buffer.byteLength(body)}`,
    });
  }
});

it('stops the test of a receiver that rejects a genuine delivery, and suggests checking the secret', async () => {
  const [card, receiver] = await tryOut(careful, { secret: 'whsec_another' });
  const [genuine, ...others] = card.checks;
  expect(genuine).toMatchObject({ name: 'genuine', verdict: 'fail', got: '400', correct: '2xx' });
  expect(genuine?.fix).toContain('secret');
  expect(new Set(others.map(({ verdict }) => verdict))).toEqual(new Set(['skipped']));
  expect([card.ok, card.failed, receiver.requests.length]).toEqual([false, 1, 1]);
});

it('adds the check `event:TYPE` to a report card only for requested event types', async () => {
  const [card] = await tryOut(careful, { events: ['flow.run.waiting'] });
  const types = Object.keys(verdicts(card)).filter((name) => name.startsWith('event:'));
  expect(types).toEqual(['event:flow.run.waiting']);
  expect(card.ok).toBe(true);
});

it.each<[string, Reply, string]>([
  ['redirects', { status: 302, headers: { location: '/elsewhere' } }, '302'],
  ['hangs up', 'hang-up', 'socket hang up'],
  ['never answers', 'hang', 'no complete response within 1 s'],
  ['never ends its answer', { stall: true, body: 'x' }, 'no complete response within 1 s'],
])('reports the behaviour of a receiver that %s', async (_what, reply, got) => {
  const [{ checks }] = await tryOut(reply, got.endsWith('1 s') ? { timeout_seconds: 1 } : {});
  expect(checks[0]).toMatchObject({ verdict: 'fail', got });
});

it('reports that no receiver responds at the URL', async () => {
  const receiver = await Receiver.start();
  const url = `${receiver.origin}/events`;
  await receiver.close();
  const { body: card } = await here.control('POST', '/verify', { url, secret });
  expect(card.checks[0].got).toBe('no response: nothing listens there');
});

it('does not count a 5xx response as the rejection of a forgery', async () => {
  const [card] = await tryOut((request) => {
    const { status } = careful(request) as { status: number };
    return { status: status === 400 ? 500 : status };
  });
  const failed = card.checks.filter(({ verdict }) => verdict === 'fail');
  expect(new Set(failed.map(({ correct, got }) => `${correct}: ${got}`))).toEqual(new Set(['400 or another 4xx: 500']));
});

it.each([
  [{ url: 'https://example.com/events', secret }, 'url'],
  [{ url: 'http://10.0.0.1/events', secret, remote: true }, 'url'],
  [{ url: 'http://example.com/events', secret, remote: true }, 'url'],
  [{ url: 'events', secret }, 'url'],
  [{ url: 'http://127.0.0.1:9/' }, 'secret'],
  [{ url: 'http://127.0.0.1:9/', secret, events: ['x'] }, 'events.0'],
  [{ url: 'http://127.0.0.1:9/', secret, timeout_seconds: 60 }, 'timeout_seconds'],
])('rejects a receiver test with %j, and names %s', async (order, param) => {
  expectError(await here.control('POST', '/verify', order), 400, 'invalid_request', param);
});
