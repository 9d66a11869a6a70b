import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { worldFileJsonSchema } from '../../../src/control/world/world-file.ts';
import { EVENT_TYPES } from '../../../src/engine/webhooks/event-schemas.ts';
import { folderOf } from '../../cli/spawned-program.ts';
import { world as start, type World } from '../../support/world.ts';

const WORLD = `\ufeff
accounts:
  - { name: Shop, plan: studio, credits: 500, keys: [svc_sk_shop_of_tests, svc_sk_shop_second] }
  - { name: Clerk, workspace: Shop, role: member, credits: 20 }
elements:
  - { account: Shop, handle: mara, kind: character, name: Mara, image: mara.png }
objects:
  - { account: Shop, file: notes.txt }
flows:
  - account: Shop
    name: Post
    steps: [{ nodeId: words, type: text, params: { prompt: "A line on {{inputs.topic}}" } }]
endpoints:
  - { account: Shop, inbox: shop, events: [image.generation.succeeded], secret: whsec_of_the_shop }
  - { account: Shop, inbox: runs, flow: Post }
rules:
  - { account: Clerk, match: { path: /v1/chat }, times: 0, effect: { status: 503 } }
`;

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function write(text: string): string {
  const folder = folderOf({ 'mara.png': Buffer.from(PIXEL, 'base64'), 'notes.txt': 'tides' });
  const file = path.join(folder, 'world.yaml');
  writeFileSync(file, text);
  return file;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The state of a world, without ids. */
async function summaryOf(world: World) {
  const list = async (route: string) => (await world.control('GET', route)).body.data;
  const accounts = await list('/accounts');
  const named = (items: Record<string, unknown>[], field: string) => items.map((item) => item[field]);
  return {
    accounts: accounts.map(({ name, plan, role, credits }: Record<string, unknown>) => [name, plan, role, credits]),
    elements: named(await list('/elements'), 'handle'),
    objects: (await list('/objects')).map(({ name, content_type }: Record<string, unknown>) => [name, content_type]),
    flows: named(await list('/flows'), 'name'),
    endpoints: (await list('/endpoints')).map(({ events }: { events: string[] }) => events.length),
    rules: (await list('/faults')).map(({ match, effect }: Record<string, unknown>) => [
      Object.keys(match as object),
      effect,
    ]),
  };
}

it('starts with the state of a world file, and restores it at a reset', async () => {
  const world = await start({ world: write(WORLD) });
  const first = await summaryOf(world);
  expect(first).toMatchObject({
    accounts: [
      ['Clerk', 'studio', 'member', 20],
      ['Shop', 'studio', 'owner', 500],
      ['Local', 'studio', 'owner', 100_000],
    ],
    elements: ['mara'],
    objects: [['notes.txt', 'text/plain']],
    flows: ['Post'],
    rules: [[['path', 'account_id'], { status: 503 }]],
  });
  expect(first.endpoints).toEqual([EVENT_TYPES.length, 1]);
  for (const key of ['svc_sk_shop_of_tests', 'svc_sk_shop_second']) {
    expect((await world.call('GET', '/v1/account', undefined, bearer(key))).body.credits).toBe(500);
  }
  await world.call('POST', '/v1/images/generations', { prompt: 'a pier' }, bearer('svc_sk_shop_of_tests'));
  await world.wait('inbox:shop');
  const [message] = (await world.control('GET', '/inbox/shop/messages')).body.data;
  expect(message.signature.verified).toBe(true);
  const [flow] = (await world.control('GET', '/flows')).body.data;
  await world.control('POST', `/flows/${flow.id}/runs`, { inputs: { topic: 'tides' } });
  expect((await world.wait('inbox:runs')).status).toBe(200);

  expect((await world.control('POST', '/reset')).status).toBe(204);
  expect(await summaryOf(world)).toEqual(first);
});

/** Starts with a durable data folder next to the world file. */
const startKept = (file: string) =>
  start({ ephemeral: false, dataDir: path.join(path.dirname(file), 'data'), world: file });

const REQUESTS = `
accounts:
  - { name: Shop, credits: 50, keys: [svc_sk_shop_of_tests] }
fixtures:
  - { account: Shop, match: { operation: createChatCompletion }, answer: { text: Scripted. } }
  - { account: Shop, match: { operation: createChatCompletion }, answer: { text: Never asked. } }
flows:
  - account: Shop
    name: Post
    steps: [{ nodeId: words, type: text, params: { prompt: "A line on {{inputs.topic}}" } }]
requests:
  - { account: Shop, path: /v1/images/generations, body: { prompt: a pier, store: true } }
  - account: Shop
    path: /_emulator/elements
    body: { account_id: "{{account}}", handle: pier, kind: place, name: A pier, image: "{{image}}" }
  - { account: Shop, path: /v1/videos/generations, body: { prompt: a pier, seconds: 5 }, outcome: succeeded }
  - { account: Shop, path: "/_emulator/flows/{{flow.Post}}/runs", body: { inputs: { topic: tides } } }
`;

it('sends the requests of a world file once, after its other parts, and continues after a rejected one', async () => {
  const file = write(REQUESTS);
  const world = await startKept(file);
  await world.wait('event:flow.run.succeeded');
  const [shop] = (await world.control('GET', '/accounts')).body.data;
  const sent = async (at: World) => {
    const list = async (route: string) => (await at.control('GET', `${route}?account_id=${shop.id}`)).body.data;
    const requests = (await list('/requests')).map(({ path, status }: Record<string, unknown>) => [path, status]);
    return { requests, elements: await list('/elements'), runs: await list('/runs') };
  };
  const first = await sent(world);
  expect(first).toMatchObject({
    requests: [
      ['/v1/videos/generations', 402],
      ['/v1/images/generations', 200],
    ],
    elements: [{ handle: 'pier', picture_url: expect.stringContaining('/cdn/') }],
    runs: [{ status: 'done', credits: 3 }],
  });
  const { body } = await world.control('GET', `/runs/${first.runs[0].id}`);
  expect(JSON.stringify(body)).toContain('Scripted.');
  await world.close();
  const again = await startKept(file);
  await again.idle();
  expect((await sent(again)).runs).toHaveLength(1);
  expect((await sent(again)).requests).toEqual(first.requests);
});

it('creates the state of a world file completely if an earlier start failed at an invalid part', async () => {
  const file = write(`${WORLD}\n  - { match: { path: /v1/nowhere }, effect: { status: 503 } }\n`);
  await expect(startKept(file)).rejects.toThrow(/world\.yaml:\d+: rules\.1: .*\/v1\/nowhere/s);
  writeFileSync(file, WORLD);
  expect((await summaryOf(await startKept(file))).accounts).toHaveLength(3);
});

it.each([
  [
    '# nothing yet',
    /world\.yaml: it declares nothing; give it accounts, endpoints, rules, flows, elements, objects, fixtures or requests/,
  ],
  ['accounts: [', /world\.yaml:\d+: it is not valid YAML/],
  ['accounts: [{ name: A, credit: 3 }]', /world\.yaml:1: .*credit.*credits/],
  ['acounts: []', /world\.yaml:1: .*acounts.*accounts/],
  ['accounts: [{ name: A }, { name: A }]', /two accounts named "A"/],
  [
    'accounts: [{ name: A, keys: [svc_sk_local_emulator] }]',
    /accounts\.0\.keys has a key that another account already has/,
  ],
  ['accounts: [{ name: A, keys: [secret] }]', /accounts\.0\.keys\.0/],
  [
    'flows: []\nrules: [{ account: Shop, effect: { status: 503 } }]',
    /world\.yaml:2: rules\.0\.account is "Shop".*nothing is declared/,
  ],
  [
    'accounts: [{ name: A }]\nendpoints: [{ account: A }]',
    /world\.yaml:2: endpoints\.0: .*url or the name of an inbox/,
  ],
  ['objects: [{ file: nowhere.txt }]', /world\.yaml:1: objects\.0: file is not a readable file: .*nowhere\.txt/],
  ['objects: [{ file: . }]', /world\.yaml:1: objects\.0: file leads out of the folder of world\.yaml: "\."/],
  ['elements: [{ handle: "not one", kind: thing, name: X }]', /elements\.0: .*handle/],
  ['flows: []\nfixtures:\n- answer: { file: "data:," }', /world\.yaml:3: fixtures\.0\.answer\.file/],
  [
    'accounts: [{ name: A }]\nrequests: [{ account: A, path: /v1/songs }]',
    /world\.yaml:2: requests\.0\.account is "A", which has no keys/,
  ],
])('names the error in the world file %j', async (text, message) => {
  await expect(start({ world: write(text) })).rejects.toThrow(message);
});

it.each([
  ...['/dev/zero', '../secret', 'deeper/../../secret', './../secret', 'deeper/../../secret/../secret'],
  ...['link', 'outside/secret', 'deeper/link'],
])('rejects the file %j in a world file, because the path or a link leads out of its folder', async (name) => {
  const folder = folderOf({ secret: 'precious' });
  const own = path.join(folder, 'own');
  mkdirSync(path.join(own, 'deeper'), { recursive: true });
  for (const link of ['link', 'deeper/link']) symlinkSync(path.join(folder, 'secret'), path.join(own, link));
  symlinkSync(folder, path.join(own, 'outside'));
  const file = path.join(own, 'world.yaml');
  for (const order of [
    { objects: [{ file: name }] },
    { elements: [{ handle: 'a', kind: 'b', name: 'c', image: name }] },
  ]) {
    writeFileSync(file, JSON.stringify(order));
    await expect(start({ world: file })).rejects.toThrow(/leads out of the folder of world\.yaml/);
  }
});

it('reads files in subfolders of the folder of a world file, and through links that stay in that folder', async () => {
  const folder = folderOf({ 'world.yaml': 'objects: [{ file: below/..notes }, { file: link.txt }]' });
  mkdirSync(path.join(folder, 'below'));
  writeFileSync(path.join(folder, 'below', '..notes'), 'tides');
  symlinkSync(path.join(folder, 'below', '..notes'), path.join(folder, 'link.txt'));
  const world = await start({ world: path.join(folder, 'world.yaml') });
  expect((await world.control('GET', '/objects')).body.data).toHaveLength(2);
});

it('keeps schemas/world.schema.json equal to the schema of world files (npx vitest run -u writes it)', async () => {
  const text = `${JSON.stringify(worldFileJsonSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../schemas/world.schema.json');
});
