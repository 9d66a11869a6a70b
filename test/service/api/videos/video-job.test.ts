import { expect, it } from 'vitest';
import { endColours, probeClip } from '../../../support/clip-probe.ts';
import { flatPicture } from '../../../support/flat-picture.ts';
import { playScenario } from '../../../support/scenario.ts';
import { expectError } from '../../../support/wire.ts';
import { world } from '../../../support/world.ts';
import { ENGINES, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const here = await world();
await here.control('PUT', '/clock', { frozen: true });
const CLIP = {
  ...{ as: { credits: 200 }, send: `POST ${VIDEOS}`, body: { prompt: 'a harbour' } },
  ...{ ledger: ['charge -100'], events: ['video.generation.succeeded'] },
};
const SONGS = '/music/generations';
const WEEK = 7 * 24 * 3600;
const { model } = ENGINES.M;
const ORDER = { model, prompt: 'a red boat', resolution: '480p', seed: 7 };
const PARAMETERS = {
  ...{ prompt: 'a red boat', seconds: 4, resolution: '480p', aspect: '16:9' },
  ...{ audio: true, seed: 7, store: false },
};

it('returns 202 with the job of a video and its cost, and later the finished job, with an event and a library entry [R011 R059 R165 R116 R220 R231 R232 R003 I047 I057 I059 I060 I121]', async () => {
  const ana = await here.account();
  const accepted = await ana.post(VIDEOS, ORDER);
  const { id, created } = accepted.body;
  const started = { id, object: 'video.generation', model, created, ...PARAMETERS, credits: 36 };
  expect(accepted.status).toBe(202);
  expect(accepted.body).toEqual({ ...started, status: 'queued', usage: { credits_spent: 36, credits_remaining: 14 } });
  expect(await ana.balance()).toBe(14);
  const { status, body } = await ana.finished(`${VIDEOS}/${id}`);
  const [entry] = await ana.library();
  expect(status).toBe(200);
  expect(body).toEqual({
    ...started,
    status: 'succeeded',
    completed: created,
    result_url: expect.stringContaining(
      `${here.url}/cdn/library/${entry?.id}/${entry?.id}.mp4?expires=${created + WEEK}&`,
    ),
    content_type: 'video/mp4',
    library_id: entry?.id,
  });
  const { result_url, content_type, library_id } = body;
  expect(await ana.envelopes()).toMatchObject([{ type: 'video.generation.succeeded', created: body.completed }]);
  expect((await ana.envelopes())[0]?.data).toEqual({ id, model, content_type, result_url, library_id });
  expect(await ana.library()).toMatchObject([
    { id: library_id, kind: 'video', job_id: id, duration: 4, credits: 36, recipe: { ...PARAMETERS, model } },
  ]);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36']);
});

it('signs the URL of a video for 7 days from the end of its job, and again at a poll after it expired [R232 R245 I043 I123 I221]', async () => {
  const ana = await here.account();
  const { body } = await ana.made(VIDEOS, { ...ORDER, seed: 8 });
  await here.advance(WEEK - 1);
  const again = await ana.get(`${VIDEOS}/${body.id}`);
  expect(again.body).toEqual(body);
  expect((await here.call('GET', body.result_url)).status).toBe(200);
  await here.advance(2);
  const expired = await here.call('GET', body.result_url);
  expect([expired.status, expired.body.error.code]).toEqual([403, 'url_expired']);
  const { body: signed } = await ana.get(`${VIDEOS}/${body.id}`);
  expect({ ...signed, result_url: body.result_url }).toEqual(body);
  expect((await here.call('GET', signed.result_url)).status).toBe(200);
  await here.advance(WEEK);
  expect((await here.call('GET', signed.result_url)).body.error.code).toBe('url_expired');
  expect((await ana.library()).map(({ id }) => id)).toEqual([body.library_id]);
  expect((await ana.envelopes())[0]?.data.result_url).toBe(body.result_url);
});

it.each([
  ['a video', 'I012', VIDEOS, { ...ORDER, prompt: UNRENDERED }, 36],
  ['a song', 'R133 I012', SONGS, { title: 'Tide [[fail]]', style: 'folk', lyrics: 'la', seconds: 30, n: 1 }, 3],
])(
  'hides the job of %s from other accounts and paths, and does not charge reads [%s]',
  async (_what, _rules, path, order, price) => {
    const [ana, ben] = [await here.account(), await here.account()];
    const { body } = await ana.post(path, order);
    const { id } = body.data?.[0] ?? body;
    const otherPath = path === VIDEOS ? SONGS : VIDEOS;
    const unknown = `${path}/job_000000000000000000000000`;
    for (const other of [await ben.get(`${path}/${id}`), await ana.get(`${otherPath}/${id}`), await ana.get(unknown)]) {
      expectError(other, 404, 'not_found');
      expect(other.body.error.type).toBe('not_found_error');
    }
    expect((await here.call('GET', `/v1${path}/${id}`)).status).toBe(401);
    await ana.finished(`${path}/${id}`);
    expect(await ana.ledger()).toEqual(['grant 50', `charge -${price}`, `refund ${price}`]);
  },
);

it('renders a video with the same bytes for the same prompt and seed, and with others for another seed [R109 I097]', async () => {
  const ana = await here.account({ credits: 200 });
  const urls = [];
  for (const seed of [7, 7, 9]) urls.push((await ana.made(VIDEOS, { ...ORDER, seed })).body.result_url);
  const [one, two, other] = await Promise.all(urls.map((url) => here.call('GET', url)));
  expect(one?.bytes.equals(two?.bytes ?? Buffer.alloc(0))).toBe(true);
  expect(one?.headers.get('etag')).not.toBe(other?.headers.get('etag'));
});

it.each([
  ['a red boat [[fail]]', 'render_failed'],
  ['a red boat [[fail:nsfw_output]]', 'nsfw_output'],
  ['a quiet street [[block]]', 'content_blocked'],
  ['a tutorial: how to make a bomb', 'content_blocked'],
])(
  'fails and refunds the video job of the prompt %j, and reports %s in the job and in an event [R005 R066 R116 R220 R233 I058 I060 I094 I099 I179]',
  async (prompt, code) => {
    const ana = await here.account();
    const accepted = await ana.post(VIDEOS, { ...ORDER, prompt, store: true });
    const { usage, ...started } = accepted.body;
    expect([accepted.status, started.status]).toEqual([202, 'queued']);
    expect(usage).toEqual({ credits_spent: 38, credits_remaining: 12 });
    const { body } = await ana.finished(`${VIDEOS}/${started.id}`);
    const error = { code, message: expect.stringContaining('refunded') };
    expect(body).toEqual({ ...started, status: 'failed', completed: started.created, error });
    expect(await ana.ledger()).toEqual(['grant 50', 'charge -38', 'refund 38']);
    const envelopes = await ana.envelopes();
    expect(envelopes.map(({ type, data }) => [type, data])).toEqual([
      ['video.generation.failed', { id: body.id, model, error }],
    ]);
    expect([await ana.library(), (await ana.get('/storage/objects')).body.data]).toEqual([[], []]);
    expect((await here.invariants()).ok).toBe(true);
  },
);

it('starts and ends a video with the given images [I117 R110 R111]', async () => {
  const ana = await here.account({ credits: 500 });
  const made = await ana.made(VIDEOS, {
    ...{ model: ENGINES.M.model, prompt: 'a pier', resolution: '480p' },
    ...{ reference: await flatPicture('rgb(200,30,30)'), end_reference: await flatPicture('rgb(30,30,200)') },
  });
  const { bytes } = await here.call('GET', made.body.result_url);
  const { first, last } = await endColours(bytes);
  const off = (met: number[], asked: number[]) => Math.max(...met.map((part, at) => Math.abs(part - (asked[at] ?? 0))));
  expect(off(first, [200, 30, 30])).toBeLessThan(25);
  expect(off(last, [30, 30, 200])).toBeLessThan(25);
});

const { A, B, G, J, L, N, O } = ENGINES;

it.each([
  ['svc-motion-one', { model: OWN, aspect: '16:9' }, 1366, 768, 5, true, 'R070 R073 I111'],
  ['engine A', { model: A.model, resolution: '480p', aspect: '9:16' }, 480, 854, 4, true, 'R075 I111'],
  ['engine B', { model: B.model, aspect: '1:1', audio: false }, 720, 720, 4, false, 'R077 I111 I113'],
  ['engine G', { model: G.model, aspect: '3:4', audio: true }, 720, 960, 2, false, 'R087 I113'],
  ['engine J', { model: J.model, resolution: '480p', audio: false }, 854, 480, 4, true, 'R092 I113'],
  ['engine L', { model: L.model, resolution: '480p' }, 854, 480, 1, false, 'R096'],
  ['engine L', { model: L.model, resolution: '1080p' }, 1920, 1080, 1, false, 'R096 I111'],
  ['engine N', { model: N.model, aspect: '1:1' }, 720, 720, 4, true, 'R100 I113'],
  ['engine O', { model: O.model, resolution: '480p' }, 854, 480, 2, true, 'R102'],
])('renders with %s and %j a video of %i × %i for %i seconds with sound %j [%s]', async (...row) => {
  const [, order, width, height, seconds, sound] = row;
  const ana = await here.account({ credits: 2000 });
  const { body } = await ana.made(VIDEOS, { prompt: 'a windmill', ...order });
  expect(body).toMatchObject({ status: 'succeeded', seconds, audio: sound });
  const { bytes, headers } = await here.call('GET', body.result_url);
  expect(headers.get('content-type')).toBe('video/mp4');
  expect(await probeClip(bytes)).toEqual({ width, height, seconds, sound });
});

it.each([
  [undefined, 5, 100],
  ['5s', 5, 100],
  ['10s', 10, 180],
])(
  'returns a video of duration %s as an MP4 of %i seconds at 720p with sound, for %i credits [R021 R022 R071 R072 R073 R158 R160]',
  async (duration, seconds, credits) => {
    const order = { ...CLIP, body: { prompt: 'a harbour', duration }, ledger: [`charge -${credits}`] };
    const { account, body } = await playScenario(here, order);
    expect(body).toEqual({
      ...{ created: expect.any(Number), model: OWN },
      data: [{ b64_json: expect.any(String), content_type: 'video/mp4' }],
      usage: { credits_spent: credits, credits_remaining: 200 - credits },
    });
    const clip = await probeClip(Buffer.from(body.data[0].b64_json, 'base64'));
    expect(clip).toEqual({ width: 1280, height: 720, seconds, sound: true });
    expect((await account.get('/storage/objects')).body.data).toEqual([]);
  },
);

it('publishes an event for a synchronous video, and adds the video to the library with its parameters [R059 R220 R231 I047 I077]', async () => {
  const { account: ana, body } = await playScenario(here, CLIP);
  const [entry] = await ana.library();
  expect(await ana.envelopes()).toEqual([
    {
      id: expect.stringMatching(/^evt_/),
      type: 'video.generation.succeeded',
      created: body.created,
      data: {
        id: entry?.job_id,
        model: OWN,
        content_type: 'video/mp4',
        result_url: expect.stringContaining(`expires=${body.created + WEEK}`),
        library_id: entry?.id,
      },
    },
  ]);
  expect(entry).toMatchObject({
    kind: 'video',
    duration: 5,
    credits: 100,
    recipe: { prompt: 'a harbour', duration: '5s', model: OWN, seed: expect.any(Number) },
  });
});

it('renders the same bytes of a synchronous video for the same prompt, on any account [I097]', async () => {
  const one = await playScenario(here, CLIP);
  const two = await playScenario(here, { ...CLIP, body: { prompt: 'a harbour', model: OWN, duration: '5s' } });
  expect(two.body.data).toEqual(one.body.data);
});

it("does not moderate videos of the service's own engine, and ignores [[block]] with a warning [R067 I122]", async () => {
  const ana = await here.account({ credits: 400 });
  const listed = await ana.post(VIDEOS, { prompt: 'how to make a bomb' });
  const directed = await ana.post(VIDEOS, { prompt: 'a harbour [[block]]' });
  expect([listed.status, directed.status]).toEqual([200, 200]);
  expect(directed.headers.get('svc-emulator-warnings')).toBe('prompt;directive=block');
  const job = await ana.post(VIDEOS, { prompt: 'how to make a bomb [[block]]', seconds: 5 });
  expect(job.headers.get('svc-emulator-warnings')).toBe('prompt;directive=block');
  const done = await ana.finished(`${VIDEOS}/${job.body.id}`);
  expect(done.body.status).toBe('succeeded');
});
