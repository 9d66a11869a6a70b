import { expect, it } from 'vitest';
import { CONTROL_OPERATIONS } from '../../../src/control/control-routes.ts';
import { SERVICE_OPERATIONS } from '../../../src/service/api/routes.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const FAULTS = '/_emulator/faults';
const saying = (content: unknown) => ({ ...CHAT, messages: [{ role: 'user', content }] });

it.each<[string, object, string]>([
  ['/v1/chat/completions', saying(7), 'messages.0.content must be a string or an array, not 7. Expected: a string; in'],
  ['/v1/chat/completions', saying([{ type: 'x' }]), '.content.0.type must be "text" or "image_url", not "x".'],
  ['/v1/chat/completions', { ...CHAT, messages: [] }, 'messages is empty; it must have at least 1 item.'],
  ['/v1/chat/completions', { ...CHAT, max_tokens: 'x' }, 'max_tokens must be a whole number from 1 to 1200'],
  ['/v1/images/generations', { prompt: 'x', cfg_scale: 0 }, 'must be a number from 1 to 20, not 0. Leave it out'],
  ['/v1/images/generations', { prompt: 'x'.repeat(2401) }, 'prompt has 2401 characters; it must have at most 2400. Sh'],
  [
    '/v1/music/generations',
    { prompt: 'x', seconds: 45 },
    'seconds must be 30 to 240 in steps of 30 (default: 120), not 45.',
  ],
  [
    '/v1/videos/generations',
    { prompt: 'x', seconds: 'x' },
    'not "x". Expected: the length in seconds, a whole number: 5 to',
  ],
  ['/v1/videos/generations', { prompt: 'x', seconds: 99 }, 'seconds must be from 5 to 10 for this engine, not 99.'],
  [
    '/v1/videos/generations',
    { prompt: 'x', model: 'vid_cged4l4k', seconds: 5 },
    'must be 4, 6 or 8 for this engine, not 5.',
  ],
  ['/_emulator/events/trigger', { type: 'image.generation.failed', data: 7 }, 'data must be an object, not 7.'],
  ['/_emulator/wait?for=x', {}, 'POST is not a method of /_emulator/wait; use GET.'],
  [FAULTS, { effect: {} }, 'effect is empty; give one of status, delay_ms, '],
  [
    FAULTS,
    { effect: { status: 503, code: 'A B' } },
    'effect.code must be 1 to 64 lower-case letters, digits and under',
  ],
  [FAULTS, { effect: { drop: true }, probability: 2 }, 'probability must be above 0 and at most 1; leave it out to '],
])('explains an error of POST %s with %j: %s', async (path, body, says) => {
  const answer = await emulator.call('POST', path, body, (await emulator.account()).headers);
  expect(answer.body.error.message).toContain(says);
});

it.each([
  ['/_emulator/requests?status=9xx', 'status must be a status such as 402, or a class such as 5xx, not "9xx".'],
  ['/_emulator/requests?since=yesterday', 'since must be an ISO 8601 time by the machine\'s clock, not "yesterday".'],
  ['/_emulator/requests?limit=0', 'limit must be a whole number from 1 to 1,000 (default: 1,000), not "0".'],
  [
    '/_emulator/wait?for=idle&timeout=-1',
    'timeout must be a number of seconds of real time from 0 to 600 (default: 10), not ',
  ],
  ['/_emulator/jobs/job_none', 'There is no job "job_none". GET /_emulator/jobs lists them.'],
  ['/v1/webhooks/we_1', 'GET is not a method of /v1/webhooks/{id}; use DELETE.'],
])('explains an error of GET %s: %s', async (path, says) => {
  const answer = await emulator.call('GET', path, undefined, (await emulator.account()).headers);
  expect(answer.body.error.message).toContain(says);
});

/** No message may contain a regular expression, a system code, a JavaScript value, or a plural after 1. */
const UNCLEAR = /shape that|\/\^|\\d|ENOENT|undefined|NaN|\[object|Invalid |\b1 (?:items|characters)|:id\b|got /;

const WRONG = [7, -1, 0.5, 1e15, 'zzz', '', 'x'.repeat(40_000), true, [], [7], {}, { zzz: 1 }, null];

/** A trace contains the whole record, so saveTrace comes first, while the record is short. */
const CHANGES = [...SERVICE_OPERATIONS, ...CONTROL_OPERATIONS]
  .filter(({ method, name }) => method !== 'GET' && name !== 'resetEmulator')
  .toSorted((a, b) => Number(b.name === 'saveTrace') - Number(a.name === 'saveTrace'));

it('explains wrong values of every body field in at most 1,000 characters, without regular expressions, system codes and JavaScript values', async () => {
  // Valid requests are rejected because of their price, so nothing is rendered.
  const { headers } = await emulator.account({ credits: 0 });
  const documents = await Promise.all(
    ['/openapi.json', '/_emulator/openapi.json'].map(async (path) => (await emulator.call('GET', path)).body),
  );
  const messages = new Set<string>();
  for (const { method, path } of CHANGES) {
    const operation = documents
      .map(({ paths }) => paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()])
      .find((each) => each);
    const schema = operation?.requestBody?.content?.['application/json']?.schema ?? {};
    const fields = Object.keys(schema.properties ?? {});
    for (const field of fields) {
      for (const value of WRONG) {
        const { status, body } = await emulator.call(method, path.replace(/:\w+/g, 'x'), { [field]: value }, headers);
        if (status >= 400) messages.add(body.error.message);
      }
    }
  }
  expect(messages.size).toBeGreaterThan(300);
  expect([...messages].filter((message) => UNCLEAR.test(message) || message.length > 1000)).toEqual([]);
  expect([...messages].filter((message) => !/[.?]$|…$|\/hook$/.test(message))).toEqual([]);
});
