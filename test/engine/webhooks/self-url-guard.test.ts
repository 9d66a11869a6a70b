import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/clock.ts';
import { SelfUrlGuard, UrlGuard } from '../../../src/engine/webhooks/url-guard.ts';
import { expectError } from '../../support/wire.ts';
import { type World, world } from '../../support/world.ts';

const emulator = await world();
const EVENTS = ['image.generation.succeeded'];

const port = (at: World) => new URL(at.url).port;

it.each([
  'http://127.0.0.1:PORT/_emulator/reset',
  'http://localhost:PORT/_emulator/reset',
  'http://LOCALHOST.:PORT/_emulator/reset',
  'http://mira.localhost:PORT/_emulator/reset',
  'http://127.1:PORT/v1/images/generations',
  'http://0x7f000001:PORT/_emulator/events/trigger',
  'http://[::1]:PORT/_emulator/events/trigger',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://0.0.0.0:PORT/_emulator/reset',
  'https://127.0.0.1:PORT/hooks/flows/x',
  'http://127.0.0.1:PORT/_emulator/inbox/../reset',
  'http://127.0.0.1:PORT/_emulator/inbox/%2e%2e/reset',
  'http://127.0.0.1:PORT/_emulator/inbox/a/messages',
])('refuses %s as a webhook, for it leads to the emulator itself [I227]', async (url) => {
  const account = await emulator.account();
  const answer = await account.post('/webhooks', { url: url.replace('PORT', port(emulator)), events: EVENTS });
  const { param, message } = expectError(answer, 400, 'invalid_request');
  expect([param, message]).toEqual(['url', expect.stringContaining('leads to the emulator itself')]);
});

it('takes its own inboxes, and other ports of this machine [I227]', async () => {
  const account = await emulator.account();
  const own = `${emulator.url}/_emulator/inbox/own-door`;
  for (const url of [own, 'http://127.0.0.1:9/hook', own.replace('127.0.0.1', 'localhost')]) {
    expect((await account.post('/webhooks', { url, events: EVENTS })).status).toBe(201);
  }
});

it('refuses what --forward or --public-url lead back to it [I227]', async () => {
  const free = await world({ publicUrl: 'https://emulator.example.com' });
  const back = `http://127.0.0.1:${port(free)}`;
  const forwarding = await world({ forward: [`https://back.example.com=${back}`] });
  const account = await free.account();
  const refused = await account.post('/webhooks', { url: 'https://emulator.example.com/v1/x', events: EVENTS });
  expect(expectError(refused, 400, 'invalid_request').message).toContain('leads to the emulator itself');
  // Another emulator's port is somebody else's.
  const other = await forwarding.account();
  expect((await other.post('/webhooks', { url: 'https://back.example.com/x', events: EVENTS })).status).toBe(201);
});

it.each<[string, string, string, boolean]>([
  ['127.0.0.1', 'https://back.example.com:4600/x', '127.0.0.1', true],
  ['127.0.0.1', 'https://back.example.com:4600/x', '::ffff:7f00:1', true],
  ['127.0.0.1', 'https://back.example.com:4600/x', '93.184.215.14', false],
  ['192.168.7.7', 'http://far:4600/x', '192.168.7.7', true],
  ['192.168.7.7', 'http://far:4601/x', '192.168.7.7', false],
  ['box.lan', 'http://box.lan:4600/x', 'Box.lan', true],
  ['0.0.0.0', 'http://far:4600/x', '127.0.0.9', true],
])('tells, bound to %s, whether %s at %s leads back [I227]', (host, url, address, isOwn) => {
  const door = new SelfUrlGuard({ host, publicUrl: undefined });
  door.open('4600');
  expect(door.leadsHere(new URL(url), address)).toBe(isOwn);
});

it('refuses at delivery what leads back by then, by its URL or by what its name resolves to [I227]', async () => {
  const own = new SelfUrlGuard({ host: '127.0.0.1', publicUrl: undefined });
  const forwards = new Map([['https://back.example.com', 'http://name.example.com:4600']]);
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const guard = new UrlGuard({ clock: new VirtualClock(), strict: false, forwards, resolve, own });
  const near = 'http://127.0.0.1:4600/_emulator/reset';
  await guard.check(near);
  const { addresses } = guard.route('https://back.example.com/x');
  expect(await addresses('name.example.com')).toHaveLength(1);
  own.open('4600');
  expect(() => guard.route(near)).toThrow('leads to the emulator itself');
  await expect(addresses('name.example.com')).rejects.toThrow('leads to the emulator itself');
});

it.each([
  ['cross-site', 403],
  ['same-origin', 200],
  ['none', 200],
])('answers a browser whose request to an inbox is %s with %i [I228]', async (site, status) => {
  const name = `inbox-${site}`;
  const headers = { 'sec-fetch-site': site };
  expect((await emulator.call('GET', `/_emulator/inbox/${name}`, undefined, headers)).status).toBe(status);
  const { body } = await emulator.control('GET', `/inbox/${name}/messages`);
  expect(body.data).toHaveLength(status === 200 ? 1 : 0);
});
