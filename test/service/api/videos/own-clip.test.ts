import { expect, it } from 'vitest';
import { probeClip } from '../../../support/clip-probe.ts';
import { world } from '../../../support/world.ts';
import { OWN, VIDEOS } from './engine-table.ts';

const here = await world();
await here.control('PUT', '/clock', { frozen: true });
const WEEK = 7 * 24 * 3600;

it.each([
  [undefined, 5, 100],
  ['5s', 5, 100],
  ['10s', 10, 180],
])(
  'answers a clip of duration %s as an MP4 of %i seconds at 720p with sound, for %i credits [R021 R022 R071 R072 R073 R158 R160]',
  async (duration, seconds, credits) => {
    const ana = await here.account({ credits: 200 });
    const { status, body } = await ana.post(VIDEOS, { prompt: 'a harbour', duration });
    expect(status).toBe(200);
    expect(body).toEqual({
      created: expect.any(Number),
      model: OWN,
      data: [{ b64_json: expect.any(String), content_type: 'video/mp4' }],
      usage: { credits_spent: credits, credits_remaining: 200 - credits },
    });
    const clip = await probeClip(Buffer.from(body.data[0].b64_json, 'base64'));
    expect(clip).toEqual({ width: 1280, height: 720, seconds, sound: true });
    expect(await ana.ledger()).toEqual(['grant 50', 'top_up 150', `charge -${credits}`]);
    expect((await ana.get('/storage/objects')).body.data).toEqual([]);
  },
);

it('keeps a stored clip under a permanent URL, for 2 credits more [R159 R232 I040 I041 I105 I108]', async () => {
  const ana = await here.account({ credits: 200 });
  const { body } = await ana.post(VIDEOS, { prompt: 'a harbour', store: true });
  expect(body.usage.credits_spent).toBe(102);
  expect(body.data).toEqual([
    { url: expect.stringMatching(`^${here.url}/cdn/objects/obj_`), content_type: 'video/mp4' },
  ]);
  const [{ url }] = body.data;
  expect((await ana.get('/storage/objects')).body.data).toMatchObject([{ url }]);
  const [event] = await ana.envelopes();
  expect(event?.data.result_url).toBe(url);
  expect((await here.call('GET', url)).status).toBe(200);
  expect(await ana.ledger()).toEqual(['grant 50', 'top_up 150', 'charge -102']);
});

it('announces a clip and keeps it in the library with its recipe [R059 R220 R231 I047 I077]', async () => {
  const ana = await here.account({ credits: 200 });
  const { body } = await ana.post(VIDEOS, { prompt: 'a harbour' });
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

it('is the same bytes for the same words, for anyone [I097]', async () => {
  const [ana, ben] = [await here.account({ credits: 200 }), await here.account({ credits: 200 })];
  const one = await ana.post(VIDEOS, { prompt: 'a harbour' });
  const two = await ben.post(VIDEOS, { prompt: 'a harbour', model: OWN, duration: '5s' });
  expect(two.body.data).toEqual(one.body.data);
});

it('is not moderated, and [[block]] is ignored with a warning [R067 I122]', async () => {
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

it.each([
  ['[[fail]]', 'render_failed'],
  ['[[fail:gpu_lost]]', 'gpu_lost'],
])(
  'refunds a clip that fails by %s, answers 502 and announces it once [R005 R117 R220 R233 I018 I094]',
  async (directive, code) => {
    const ana = await here.account({ credits: 200 });
    const { status, body } = await ana.post(VIDEOS, { prompt: `a harbour ${directive}` });
    expect([status, body.error.code]).toEqual([502, code]);
    expect(await ana.ledger()).toEqual(['grant 50', 'top_up 150', 'charge -100', 'refund 100']);
    expect(await ana.envelopes()).toMatchObject([
      { type: 'video.generation.failed', data: { model: OWN, error: { code } } },
    ]);
    expect(await ana.library()).toEqual([]);
    expect((await here.invariants()).ok).toBe(true);
  },
);
