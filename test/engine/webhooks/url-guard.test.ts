import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import { isPublicAddress } from '../../../src/engine/webhooks/hosts.ts';
import { SelfUrlDetector, UrlGuard, type UrlGuardOptions } from '../../../src/engine/webhooks/url-guard.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { expectError } from '../../support/wire.ts';
import { type World, world } from '../../support/world.ts';

const clock = new VirtualClock();
const publicName = () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]);

function guard(options: Partial<UrlGuardOptions> = {}): UrlGuard {
  return new UrlGuard({
    ...{ clock, strict: false, isReachable: false, forwards: new Map(), resolve: publicName },
    ...options,
  });
}

const refusal = expect.objectContaining({ code: 'invalid_request', param: 'url' });

const NEVER: [string, string][] = [
  ['http://example.com/hook', 'plain http'],
  ['javascript:alert(1)', 'another scheme'],
  ['file:///etc/passwd', 'another scheme'],
  ['/hook', 'a path alone'],
  ['', 'nothing'],
  ['https://exa mple.com/', 'a broken host'],
  ['https://[fe80::1%25eth0]/', 'a zone'],
  [`https://example.com/${'a'.repeat(2048)}`, 'too long'],
  ['https://user@example.com/', 'a user name'],
  ['https://:secret@example.com/', 'a password alone'],
  ['http://user:secret@localhost:3000/', 'a password on loopback'],
  ['https://172.16.0.1/', 'private'],
  ['https://169.254.169.254/latest/meta-data', 'link-local: cloud metadata'],
  ['https://100.64.0.1/', 'shared (CGNAT)'],
  ['https://0.0.0.0/', 'unspecified'],
  ['https://0.1.2.3/', 'this network'],
  ['https://192.0.0.8/', 'reserved for the IETF'],
  ['https://192.0.2.1/', 'documentation'],
  ['https://192.88.99.1/', 'reserved: 6to4 relays'],
  ['https://198.18.0.1/', 'benchmark'],
  ['https://224.0.0.1/', 'multicast'],
  ['https://240.0.0.1/', 'reserved'],
  ['https://255.255.255.255/', 'broadcast'],
  ['https://[::]/', 'unspecified, IPv6'],
  ['https://[fe80::1]/', 'link-local, IPv6'],
  ['https://[fc00::1]/', 'unique local'],
  ['https://[ff02::1]/', 'multicast, IPv6'],
  ['https://[2001:db8::1]/', 'documentation, IPv6'],
  ['https://[3fff::1]/', 'documentation, IPv6'],
  ['https://[2001:2::1]/', 'benchmark, IPv6'],
  ['https://[2001::1]/', 'Teredo'],
  ['https://[::ffff:127.0.0.1]/', 'loopback, mapped'],
  ['https://192。168。1。1/', 'private, with ideographic dots'],
  ['https://10.0.0.1./', 'private, with a last dot'],
  ['https://intranet/', 'a name without a dot'],
  ['https://printer.local/', 'an internal name'],
  ['https://METADATA.GOOGLE.INTERNAL./', 'an internal name, in capitals'],
  ['https://router.home.arpa/', 'an internal name'],
  ['https://wiki.corp/', 'an internal name'],
  ['https://nas.lan/', 'an internal name'],
];

it.each(NEVER)('rejects the webhook URL %j (%s), strict or not [R193 I071]', async (url) => {
  for (const strict of [true, false]) {
    await expect(guard({ strict }).check(url)).rejects.toEqual(refusal);
    expect(() => guard({ strict }).route(url)).toThrow();
  }
});

const THIS_MACHINE = [
  ['http://localhost:3000/hook'],
  ['https://localhost/'],
  ['http://LOCALHOST.:3000/'],
  ['http://app.localhost:3000/'],
  ['http://127.0.0.1:3000/'],
  ['https://127.255.255.254/'],
  ['http://[::1]:3000/'],
  ['http://2130706433/'],
  ['http://0x7f.1/'],
  ['http://0177.0.0.1/'],
  ['http://127.1/'],
  ['http://１２７.0.0.1/'],
  ['http://[0:0:0:0:0:0:0:1]/'],
] as const;

it.each(THIS_MACHINE)(
  'accepts the webhook URL %s except in strict mode, without a DNS request [R193 I071]',
  async (url) => {
    const resolve = () => Promise.reject(new Error('asked'));
    await guard({ resolve }).check(url);
    await expect(guard({ strict: true, resolve }).check(url)).rejects.toEqual(refusal);
    expect(guard().route(url).verifyCertificate).toBe(false);
  },
);

it.each([...THIS_MACHINE, ...NEVER.map(([url]) => [url] as const)])(
  'rejects the webhook URL %j if other machines can reach the emulator',
  async (url) => {
    await expect(guard({ isReachable: true }).check(url)).rejects.toEqual(refusal);
    expect(() => guard({ isReachable: true }).route(url)).toThrow();
  },
);

it('accepts a webhook URL at a target of --forward, but at no other port, if other machines can reach an emulator that is not strict', async () => {
  const targets = ['http://127.0.0.1:3000', 'http://10.0.0.5:3000'];
  const forwards = new Map(targets.map((target, n) => [`https://app${n}.example.com`, target]));
  for (const target of targets) {
    const reachable = guard({ isReachable: true, forwards });
    await reachable.check(`${target}/hook`);
    expect(reachable.route(`${target}/hook`).target.href).toBe(`${target}/hook`);
    await expect(reachable.check(`${target}1/hook`)).rejects.toEqual(refusal);
    await expect(guard({ isReachable: true, strict: true, forwards }).check(`${target}/hook`)).rejects.toEqual(refusal);
  }
  await expect(guard({ forwards }).check('http://10.0.0.5:3000/hook')).rejects.toEqual(refusal);
});

it('rejects a delivery to a name that resolves to this machine, if other machines can reach the emulator', async () => {
  const answers = ['93.184.216.34', '127.0.0.1'];
  const resolve = async () => [{ address: answers.shift() ?? '', family: 4 }];
  const rebound = guard({ isReachable: true, resolve });
  await rebound.check('https://rebound.example.com/');
  const { addresses } = rebound.route('https://rebound.example.com/');
  await expect(addresses('rebound.example.com')).rejects.toThrow(/not a public address/);
});

it.each([
  ['https://example.com/hook'],
  ['https://example.com:8443/hook?x=1'],
  ['https://EXAMPLE.com/'],
  ['https://bücher.example/'],
  ['https://8.8.8.8/'],
  ['https://172.15.0.1/'],
  ['https://172.32.0.1/'],
  ['https://100.63.255.255/'],
  ['https://100.128.0.1/'],
  ['https://[2606:4700::1111]/'],
  ['https://[2a00:1450:4001::1]/'],
  ['https://hooks.example.test/'],
  ['https://nowhere.invalid/'],
  ['https://localhost.example.com/'],
  ['https://notlocalhost.com/'],
])('accepts the webhook URL %s, strict or not [R193]', async (url) => {
  for (const strict of [true, false]) {
    await guard({ strict }).check(url);
    expect(guard({ strict }).route(url).verifyCertificate).toBe(true);
  }
});

it.each([
  ['127.0.0.1'],
  ['10.0.0.1'],
  ['169.254.169.254'],
  ['::1'],
  ['::ffff:10.0.0.1'],
  ['fd00::1'],
  ['64:ff9b::a00:1'],
  ['fe80::1%eth0'],
])('rejects a host name that resolves to %s, even among public addresses [R193]', async (address) => {
  const resolve = async () => [
    { address: '93.184.216.34', family: 4 },
    { address, family: 4 },
  ];
  const url = 'https://rebound.example.com/';
  await expect(guard({ resolve }).check(url)).rejects.toEqual(refusal);
  await expect(guard({ resolve }).route(url).addresses('rebound.example.com')).rejects.toThrow(/not a public address/);
});

it('accepts an unknown host name, and fails its delivery [I131]', async () => {
  const resolve = () => Promise.reject(new Error('getaddrinfo ENOTFOUND'));
  const url = 'https://nowhere.example.com/';
  await guard({ resolve }).check(url);
  await expect(guard({ resolve }).route(url).addresses('nowhere.example.com')).rejects.toThrow('ENOTFOUND');
});

it('replaces an origin of --forward by its local target, keeps path and query, and resolves no host name [I072 I131]', async () => {
  const resolve = () => Promise.reject(new Error('asked'));
  const forwards = new Map([['https://app.example.com', 'http://localhost:3000']]);
  const forwarding = guard({ strict: true, forwards, resolve });
  await forwarding.check('https://app.example.com/hook?x=1');
  const there = (url: string) => forwarding.route(url).target.href;
  expect(there('https://app.example.com/hook?x=1')).toBe('http://localhost:3000/hook?x=1');
  expect(there('https://APP.example.com:443//evil.example.com/x')).toBe('http://localhost:3000//evil.example.com/x');
  expect(there('https://app.example.com:8443/hook')).toBe('https://app.example.com:8443/hook');
  expect(there('https://www.example.com/hook')).toBe('https://www.example.com/hook');
  expect(() => there('http://app.example.com/hook')).toThrow(/not https/);
});

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

it('treats no IPv4 address inside IPv6 as public [R193 I071]', () => {
  fc.assert(
    fc.property(bytes(4), bytes(10), (four, rest) => {
      const [a = 0, b = 0, c = 0, d = 0] = four;
      const zeros = (length: number) => new Array<number>(length).fill(0);
      const wrapped = [
        [...zeros(10), 255, 255, a, b, c, d],
        [...zeros(12), a, b, c, d],
        [...zeros(8), 255, 255, 0, 0, a, b, c, d],
        [0, 0x64, 0xff, 0x9b, ...zeros(8), a, b, c, d],
        [0x20, 0x02, a, b, c, d, ...rest],
      ];
      for (const address of wrapped) {
        expect(isPublicAddress(ipaddr.fromByteArray(address).toString())).toBe(false);
      }
    }),
  );
});

it('treats no IPv6 address outside 2000::/3 as public', () => {
  fc.assert(
    fc.property(bytes(16), (address) => {
      const outside = ((address[0] ?? 0) & 0xe0) !== 0x20;
      fc.pre(outside);
      expect(isPublicAddress(ipaddr.fromByteArray([...address]).toString())).toBe(false);
    }),
  );
});

it('either accepts a text as a webhook URL or rejects it with invalid_request, whatever the text is', async () => {
  const any = fc.string({ unit: ANY_CHARACTER });
  const begun = fc.tuple(fc.constantFrom('https://', 'http://', '//'), any).map((parts) => parts.join(''));
  const text = fc.oneof(any, begun);
  await fc.assert(
    fc.asyncProperty(text, async (url) => {
      const [judged] = await Promise.allSettled([guard().check(url)]);
      if (judged.status === 'rejected') expect(judged.reason).toEqual(refusal);
    }),
  );
});

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
])('rejects %s as a webhook, because it leads to the emulator itself [I227]', async (url) => {
  const account = await emulator.account();
  const answer = await account.post('/webhooks', { url: url.replace('PORT', port(emulator)), events: EVENTS });
  const { param, message } = expectError(answer, 400, 'invalid_request');
  expect([param, message]).toEqual(['url', expect.stringContaining('leads to the emulator itself')]);
});

it('accepts as webhook URLs inboxes of the emulator, and other ports of this machine [I227]', async () => {
  const account = await emulator.account();
  const own = `${emulator.url}/_emulator/inbox/own-door`;
  for (const url of [own, 'http://127.0.0.1:9/hook', own.replace('127.0.0.1', 'localhost')]) {
    expect((await account.post('/webhooks', { url, events: EVENTS })).status).toBe(201);
  }
});

it('rejects a webhook URL under --public-url, but not one that --forward sends to another emulator [I227]', async () => {
  const free = await world({ publicUrl: 'https://emulator.example.com' });
  const back = `http://127.0.0.1:${port(free)}`;
  const forwarding = await world({ forward: [`https://back.example.com=${back}`] });
  const account = await free.account();
  const refused = await account.post('/webhooks', { url: 'https://emulator.example.com/v1/x', events: EVENTS });
  expect(expectError(refused, 400, 'invalid_request').message).toContain('leads to the emulator itself');
  // The port belongs to another emulator, so the URL is allowed.
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
])(
  'decides, if --host is %s, whether the URL %s at the address %s leads back to the emulator: %s [I227]',
  (host, url, address, isOwn) => {
    const door = new SelfUrlDetector({ host, publicUrl: undefined });
    door.open(new URL('http://127.0.0.1:4600'));
    expect(door.leadsHere(new URL(url), address)).toBe(isOwn);
  },
);

it('recognizes a URL without a port as its own if the emulator listens on port 80 [I227]', () => {
  const door = new SelfUrlDetector({ host: '127.0.0.1', publicUrl: undefined });
  door.open(new URL('http://127.0.0.1:80'));
  expect(door.leadsHere(new URL('http://127.0.0.1/x'), '127.0.0.1')).toBe(true);
});

it('rejects a delivery that leads back to the emulator, by its URL or its address [I227]', async () => {
  const own = new SelfUrlDetector({ host: '127.0.0.1', publicUrl: undefined });
  const forwards = new Map([['https://back.example.com', 'http://name.example.com:4600']]);
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const guard = new UrlGuard({ clock: new VirtualClock(), strict: false, isReachable: false, forwards, resolve, own });
  const near = 'http://127.0.0.1:4600/_emulator/reset';
  await guard.check(near);
  const { addresses } = guard.route('https://back.example.com/x');
  expect(await addresses('name.example.com')).toHaveLength(1);
  own.open(new URL('http://127.0.0.1:4600'));
  expect(() => guard.route(near)).toThrow('leads to the emulator itself');
  await expect(addresses('name.example.com')).rejects.toThrow('leads to the emulator itself');
});

it.each([
  ['cross-site', 403],
  ['same-site', 403],
  ['same-origin', 200],
  ['none', 200],
])('responds to a request to an inbox whose sec-fetch-site is %s with the status %i [I228]', async (site, status) => {
  const name = `inbox-${site}`;
  const headers = { 'sec-fetch-site': site };
  expect((await emulator.call('GET', `/_emulator/inbox/${name}`, undefined, headers)).status).toBe(status);
  const { body } = await emulator.control('GET', `/inbox/${name}/messages`);
  expect(body.data).toHaveLength(status === 200 ? 1 : 0);
});
