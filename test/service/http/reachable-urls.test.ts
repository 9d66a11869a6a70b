import { expect, it } from 'vitest';
import { expectScenario } from '../../support/scenario.ts';
import { CHAT, expectError, fileForm } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const lenient = await world();
const strict = await world({ strict: true });
const warnings = 'svc-emulator-warnings';

/** The engine fails the clip without rendering it. */
const CLIP = { model: 'svc-motion-one', prompt: '[[fail]] a pier', seconds: 5 };

function chatAbout(image_url: unknown) {
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'image_url', image_url },
  ];
  return { ...CHAT, messages: [{ role: 'user', content }] };
}

/** One URL of each kind; `url-guard.test.ts` tests all addresses that are not public. */
const UNREACHABLE = [
  'http://localhost/a.png',
  'http://127.0.0.1:3000/a.png',
  'https://10.0.0.5/a.png',
  'http://169.254.169.254/latest/meta-data',
  'https://[::ffff:10.0.0.1]/a.png',
  'http://minio:9000/a.png',
  'https://nas.local/a.png',
];

it.each(UNREACHABLE)('warns of the image URL %s, which the service could not fetch', async (url) => {
  const account = await lenient.account({ credits: 1000 });
  for (const [fields, named] of [
    [{ reference: url }, 'reference'],
    [{ references: ['https://example.com/b.png', url] }, 'references.1'],
    [{ reference: 'https://example.com/b.png', end_reference: url }, 'end_reference'],
  ] as const) {
    const { status, headers } = await account.post('/videos/generations', { ...CLIP, ...fields });
    expect([status, headers.get(warnings)]).toEqual([202, `${named};unreachable-host`]);
  }
  for (const [given, named] of [
    [url, 'messages.0.content.1.image_url'],
    [{ url }, 'messages.0.content.1.image_url.url'],
  ] as const) {
    const { status, headers } = await account.post('/chat/completions', chatAbout(given));
    expect([status, headers.get(warnings)]).toEqual([200, `${named};unreachable-host`]);
  }
  const element = { account_id: account.id, handle: 'mira', kind: 'character', name: 'Mira', image: url };
  const made = await lenient.control('POST', '/elements', element);
  expect([made.status, made.headers.get(warnings)]).toEqual([201, 'image;unreachable-host']);
});

it.each(UNREACHABLE)('rejects the image URL %s in strict mode, and charges nothing', async (url) => {
  const says = /where the service cannot fetch a file\. Give a data URL or the URL of a public host/;
  const error = { field: 'reference', says };
  await expectScenario(strict, { send: 'POST /videos/generations', body: { ...CLIP, reference: url }, error });
  const field = 'messages.0.content.1.image_url.url';
  await expectScenario(strict, { send: 'POST /chat/completions', body: chatAbout({ url }), error: { field, says } });
  const account = await strict.account();
  const element = { account_id: account.id, handle: 'mira', kind: 'character', name: 'Mira', image: url };
  expectError(await strict.control('POST', '/elements', element), 400, 'invalid_request', 'image');
  expect((await strict.control('GET', `/elements?account_id=${account.id}`)).body.data).toEqual([]);
  const steps = [{ type: 'video', params: { ...CLIP, reference: url } }];
  const flow = { workspace_id: account.workspaceId, name: 'Clips', steps };
  expectError(await strict.control('POST', '/flows', flow), 400, 'invalid_request');
});

it.each([
  'https://example.com/a.png',
  'http://example.com/a.png',
  'https://8.8.8.8/a.png',
  'https://cdn.internal.example.com/a.png',
])('accepts the image URL %s without a warning, even in strict mode', async (url) => {
  for (const here of [lenient, strict]) {
    const account = await here.account({ credits: 1000 });
    const clip = await account.post('/videos/generations', { ...CLIP, reference: url });
    const chat = await account.post('/chat/completions', chatAbout({ url }));
    expect([clip.status, chat.status]).toEqual([202, 200]);
    expect([clip.headers.get(warnings), chat.headers.get(warnings)]).toEqual([null, null]);
  }
});

it("accepts URLs of the emulator's own files, and data URLs, as images in strict mode", async () => {
  const account = await strict.account({ credits: 1000 });
  const { body } = await account.post('/images/generations', { prompt: 'a pier', store: true });
  const image = await strict.call('GET', body.data[0].url);
  const data = `data:image/png;base64,${image.bytes.toString('base64')}`;
  for (const url of [body.data[0].url, data]) {
    expect((await account.post('/videos/generations', { ...CLIP, reference: url })).status).toBe(202);
    expect((await account.post('/chat/completions', chatAbout({ url }))).status).toBe(200);
  }
  const other = await account.post('/storage/objects', fileForm());
  expect((await account.post('/chat/completions', chatAbout(other.body.url))).status).toBe(200);
});
