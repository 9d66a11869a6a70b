import { expect, it } from 'vitest';
import { playScenario } from '../../support/scenario.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const here = await world();
await here.control('PUT', '/clock', { frozen: true });
const [IMAGES, VIDEOS] = ['/images/generations', '/videos/generations'];
const WEEK = 7 * 24 * 3600;

/** A call that waits for its render: its order, its price, and the type and model of its failure event if it has one. */
type Row = [what: string, send: string, order: (text: string) => object, price: number, failed?: [string, string]];

const IMAGE_FAILED: Row[4] = ['image.generation.failed', 'svc-image-one'];
const VIDEO_FAILED: Row[4] = ['video.generation.failed', 'svc-motion-one'];

it.each<Row>([
  ['a chat', '/chat/completions', (content) => ({ ...CHAT, messages: [{ role: 'user', content }] }), 1],
  ['speech', '/audio/speech', (input) => ({ input, voice: 'aria' }), 3],
  ['a stored image', IMAGES, (prompt) => ({ prompt, store: true }), 12, IMAGE_FAILED],
  ['a video', VIDEOS, (prompt) => ({ prompt }), 100, VIDEO_FAILED],
])(
  'returns a 502 with a fitting error type if a directive fails %s (POST %s), refunds it, and publishes an event only for image and video [R005 R006 R219 R220 R233 I018 I094 I179 I206]',
  async (_what, path, order, price, failed) => {
    for (const [directive, code, type] of [
      ['[[fail]]', 'render_failed', 'api_error'],
      ['[[fail:gpu_lost]]', 'gpu_lost', 'api_error'],
      ['[[fail:not_found]]', 'not_found', 'not_found_error'],
      ['[[fail:insufficient_credits]]', 'insufficient_credits', 'insufficient_credits'],
    ] as const) {
      const { account } = await playScenario(here, {
        ...{ as: { credits: price }, send: `POST ${path}`, body: order(`a boat ${directive}`), status: 502 },
        ...{ error: { code }, answer: { error: { type } }, ledger: [`charge -${price}`, `refund ${price}`] },
        events: failed ? [failed[0]] : [],
      });
      expect(await account.balance()).toBe(price);
      const [charge, refund] = (await account.entries()).slice(-2);
      expect(refund).toMatchObject({ refund_of: charge?.id, job_id: charge?.job_id });
      const data = { id: charge?.job_id, model: failed?.[1], error: expect.objectContaining({ code }) };
      expect((await account.envelopes()).map((event) => event.data)).toEqual(failed ? [data] : []);
      expect([await account.library(), (await account.get('/storage/objects')).body.data]).toEqual([[], []]);
    }
  },
);

const KITE = { prompt: 'a kite' };
const CLIP = { model: 'vid_max5havc', prompt: 'a red boat', resolution: '480p' };

it.each<[what: string, path: string, order: object, price: number, warned: string | null]>([
  ['an image', IMAGES, KITE, 12, null],
  ['an image', IMAGES, { ...KITE, response_format: 'url' }, 12, null],
  ['an image', IMAGES, { ...KITE, response_format: 'b64_json' }, 12, 'response_format;store'],
  ['a synchronous video', VIDEOS, { prompt: 'a harbour' }, 102, null],
  ['the video of a job', VIDEOS, CLIP, 38, null],
])(
  'stores %s (POST %s) with %j at a permanent URL for %i credits in one charge, which includes 2 for the storage; warning: %s [R126 R154 R159 R232 I040 I041 I105 I108 I109 I215]',
  async (_what, path, order, price, warned) => {
    const account = await here.account({ credits: 200 });
    const { body, headers } = await account.post(path, { ...order, store: true });
    expect(headers.get('svc-emulator-warnings')).toBe(warned);
    expect(body.usage).toEqual({ credits_spent: price, credits_remaining: 200 - price });
    const [item, ...others] = body.data ?? [];
    if (item) expect([Object.keys(item), others]).toEqual([path === VIDEOS ? ['url', 'content_type'] : ['url'], []]);
    else expect(body).toMatchObject({ store: true, credits: price });
    const type = path === VIDEOS ? 'video/mp4' : 'image/png';
    const url = item ? item.url : (await account.finished(`${path}/${body.id}`)).body.result_url;
    expect(url).toMatch(new RegExp(`^${here.url}/cdn/objects/obj_[0-9a-f]{24}/[\\w.]+\\.${type.slice(6)}$`));
    const { data } = (await account.get('/storage/objects')).body;
    expect(data).toMatchObject([{ url, content_type: type }]);
    expect((await account.envelopes()).map((event) => event.data.result_url)).toEqual([url]);
    expect(await account.library()).toMatchObject([{ object_id: data[0].id }]);
    expect(await account.ledger()).toEqual(['grant 50', 'top_up 150', `charge -${price}`]);
    // A permanent URL outlives the seven days of a signed one.
    await here.advance(WEEK + 1);
    const served = await here.call('GET', url);
    expect([served.status, served.headers.get('content-type'), served.bytes.length]).toEqual([
      200,
      type,
      data[0].bytes,
    ]);
  },
);
