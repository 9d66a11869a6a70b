import { expect, it } from 'vitest';
import type { Answered } from '../../../src/base/package/choice-table.ts';
import { requestLog } from '../../../src/compose.ts';
import { fileForm } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';
import { recordIn } from '../trace/read-trace.ts';
import { traceOf } from '../trace/run-of-shop.ts';

const emulator = await world();
const strict = await world({ strict: true });

const CHAT = '/chat/completions';
const CLIP = '/videos/generations';
const SONG = '/music/generations';
const turn = { role: 'user', content: 'Hello.' };
const chat = { model: 'svc-rp-mini', messages: [turn] };
const many = (count: number) => Array.from({ length: count }, () => 'ada');
const long = (length: number) => 'a'.repeat(length);

const formOf = (file: string) => fileForm(file, 'sound.wav');

async function textOf(account: TestAccount, headers: Headers): Promise<string> {
  const { body } = await account.world.control('GET', `/explain/${headers.get('x-request-id')}`);
  return body.steps.map(({ text }: { text: string }) => text).join('\n');
}

it.each<[string, string, string, object]>([
  ['C020', 'POST', '/webhooks', []],
  ['C022', 'POST', CLIP, { prompt: 'a pier', model: 'none' }],
  ['C023', 'POST', '/images/generations', { prompt: 'a pier', model: 'svc-rp-mini' }],
  ['C024', 'GET', '/videos/generations/job_1', {}],
  ['C025', 'POST', '/responses', {}],
  ['C026', 'POST', '/models', {}],
  ['C028', 'POST', CLIP, { prompt: 'a pier', elements: many(101) }],
  ['C058', 'POST', CHAT, { ...chat, messages: [] }],
  ['C059', 'POST', CHAT, { ...chat, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'x' }] }] }],
  ['C059', 'POST', CHAT, { ...chat, messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }],
  ['C063', 'POST', CHAT, { ...chat, max_tokens: 1201 }],
  ['C063', 'POST', CHAT, { ...chat, mode: 'messaging', max_tokens: 161 }],
  ['C076', 'GET', '/storage/objects?after=obj_1', {}],
  ['C076', 'GET', '/storage/objects?limit=0', {}],
  ['C078', 'DELETE', '/storage/objects/obj_1', {}],
  ['C087', 'POST', CLIP, { prompt: 'a pier', duration: '5s', seconds: 5 }],
  ['C090', 'POST', CLIP, { prompt: 'a pier', resolution: '8k' }],
  ['C091', 'POST', CLIP, { prompt: 'a pier', aspect: '2:1' }],
  ['C093', 'POST', CLIP, { prompt: 'a pier', shot: long(65) }],
  ['C094', 'POST', CLIP, { prompt: 'a pier', elements: many(1) }],
  ['C095', 'POST', CLIP, { prompt: 'a pier', seed: 'x' }],
  ['C096', 'POST', CLIP, { prompt: 'a pier', seconds: 11 }],
  ['C107', 'POST', CLIP, { prompt: long(10_001) }],
  ['C107', 'POST', '/images/generations', { prompt: 'a pier', negative_prompt: long(2401) }],
  ['C124', 'POST', SONG, { title: 'Pier' }],
  ['C125', 'POST', SONG, { prompt: 'a waltz', style: long(2001) }],
  ['C127', 'POST', SONG, { prompt: 'a waltz', seed: 4_294_967_295 }],
  ['C132', 'POST', SONG, { lyrics: 'La la la', instrumental: true }],
  ['C134', 'POST', SONG, { prompt: 'a waltz [[block:lyrics]]' }],
  ['C135', 'POST', '/audio/speech', { input: long(4097), voice: 'aria' }],
  ['C135', 'POST', '/audio/speech', { input: '', voice: 'aria' }],
  ['C142', 'POST', '/webhooks', { url: 'https://10.0.0.1/', events: ['image.generation.failed'] }],
  ['C210', 'POST', '/webhooks', { url: `${emulator.url}/v1/models`, events: ['image.generation.failed'] }],
  ['C158', 'GET', '/webhooks/samples?event=image.generation.failed&flow_id=flow_1', {}],
  ['C037', 'POST', CHAT, { ...chat, messages: [{ ...turn, content: '[[status:503]]' }] }],
])('names choice %s in the explanation of a refused %s %s', async (id, method, path, body) => {
  const account = await emulator.account({ plan: 'studio', credits: 500 });
  const sent = method === 'POST' ? body : undefined;
  const { status, headers } = await emulator.call(method, `/v1${path}`, sent, account.headers);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(await textOf(account, headers)).toContain(`(choice ${id})`);
});

it.each<[string, string, object]>([
  ['C001', '/images/generations', { prompt: 'a pier', mood: 'calm' }],
  ['C144', '/webhooks', { url: 'http://localhost:3000/', events: ['image.generation.failed'] }],
])('names choice %s in the explanation of what --strict refuses', async (id, path, body) => {
  const account = await strict.account({ credits: 50 });
  const { status, headers } = await account.post(path, body);
  expect(status).toBe(400);
  expect(await textOf(account, headers)).toContain(`(choice ${id})`);
});

it.each<[string, number, object]>([
  ['/images/generations', 400, { prompt: long(2401) }],
  ['/images/generations', 400, {}],
  ['/images/generations', 402, { prompt: 'a pier' }],
  [SONG, 400, { prompt: 'a waltz', seconds: 45 }],
  [SONG, 400, { prompt: '' }],
  [CHAT, 400, { ...chat, max_tokens: 0 }],
  [CLIP, 400, { prompt: 'a pier', shot: 5 }],
])('names no choice where the specification itself refuses: %s, %i', async (path, status, body) => {
  const account = await emulator.account({ credits: 0 });
  const answer = await account.post(path, body);
  expect(answer.status).toBe(status);
  expect(await textOf(account, answer.headers)).not.toContain('(choice');
});

it.each<[string, string, Record<string, string>, string | FormData]>([
  ['C020', CHAT, { 'content-type': 'application/json' }, '{'],
  ['C021', CHAT, { 'content-type': 'text/plain' }, '{}'],
  ['C138', '/audio/transcriptions', {}, formOf('no sound')],
])('names choice %s in the explanation of a body that cannot be read: %s', async (id, path, type, body) => {
  const account = await emulator.account({ credits: 50 });
  const headers = { ...account.headers, ...type };
  const answer = await fetch(`${emulator.url}/v1${path}`, { method: 'POST', headers, body });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(await textOf(account, answer.headers)).toContain(`(choice ${id})`);
});

it('keeps the choice in the record that a trace holds, and asks for none where nothing was left open', async () => {
  const account = await emulator.account({ credits: 50 });
  const refused = await account.post('/audio/speech', { input: long(4097), voice: 'aria' });
  const paid = await account.post(CHAT, chat);
  const { tables, explained } = recordIn(await traceOf(emulator));
  const [id, other] = [refused, paid].map(({ headers }) => headers.get('x-request-id') ?? '');
  const choiceOf = (request: string | undefined) => tables.requests.find((each) => each.id === request)?.choice;
  expect([choiceOf(id), choiceOf(other)]).toEqual(['C135', undefined]);
  expect(JSON.stringify(explained[id ?? ''])).toContain('(choice C135)');
});

it('leaves the answer itself as it is', async () => {
  const account = await emulator.account();
  const { body } = await account.post('/audio/speech', { input: long(4097), voice: 'aria' });
  expect(JSON.stringify(body)).not.toMatch(/C\d{3}/);
});

it.each<[string | undefined, Partial<Answered>]>([
  ['C135', { choice: 'C135' }],
  ['C001,C262', { warnings: 'mood,input;directive=fail:take=2' }],
  ['C099', { dropped: 'seed,shot' }],
  ['C133,C001', { choice: 'C133', warnings: 'mood' }],
  [undefined, {}],
])('has %s in the line of the log', (choice, more) => {
  const lines: object[] = [];
  const log = { info: (facts: object) => void lines.push(facts), error: () => undefined };
  const facts = { id: 'req_1', method: 'POST', path: '/v1/audio/speech', status: 400, duration_ms: 1, credits: null };
  requestLog(log)({ ...facts, ...more });
  expect(lines).toEqual([choice === undefined ? { request_id: 'req_1' } : { request_id: 'req_1', choice }]);
});
