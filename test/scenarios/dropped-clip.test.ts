import { expect, it } from 'vitest';
import { probeClip } from '../support/clip-probe.ts';
import { openReceiver } from '../support/receiver.ts';
import { world } from '../support/world.ts';

const here = await world({ settleAfter: 0.2 });
const receiver = await openReceiver();

it('renders what the engine supports, names the rest, and announces the video once [R011 R080 R112 R220 I051 I052 I061 I113 I172]', async () => {
  const ana = await here.account({ credits: 500 });
  const events = ['video.generation.succeeded', 'video.generation.failed'];
  await ana.post('/webhooks', { url: `${receiver.origin}/hook`, events });
  const { status, body, headers } = await ana.post('/videos/generations', {
    ...{ model: 'vid_ui7tpjlx', prompt: 'rain on a tin roof', resolution: '480p', aspect: '1:1' },
    ...{ audio: false, seed: 5, negative_prompt: 'people', duration: '10s', fps: 24 },
    ...{ reference: `${receiver.origin}/a.png`, end_reference: `${receiver.origin}/b.png` },
  });
  expect(status).toBe(202);
  expect(headers.get('svc-emulator-dropped')?.split(',').toSorted()).toEqual([
    ...['audio', 'duration', 'end_reference', 'negative_prompt', 'reference'],
    ...['resolution', 'seed'],
  ]);
  expect(headers.get('svc-emulator-warnings')).toBe('reference;unreachable-host,end_reference;unreachable-host,fps');
  expect(body.usage).toEqual({ credits_spent: 320, credits_remaining: 180 });

  // Nobody polls: the sweep settles it.
  const [request] = await receiver.received(1);
  expect(request?.method).toBe('POST');
  const { data } = JSON.parse(request?.body ?? '{}');
  const { body: record } = await ana.get(`/videos/generations/${body.id}`);
  expect(record).toMatchObject({
    status: 'succeeded',
    resolution: '720p',
    audio: true,
    seconds: 4,
  });
  expect(data).toEqual({
    ...{ id: body.id, model: 'vid_ui7tpjlx', content_type: 'video/mp4' },
    ...{ result_url: record.result_url, library_id: record.library_id },
  });
  const { bytes } = await here.call('GET', data.result_url);
  expect(await probeClip(bytes)).toEqual({ width: 720, height: 720, seconds: 4, sound: true });
  const [entry] = await ana.library();
  for (const field of ['negative_prompt', 'reference', 'end_reference', 'duration', 'fps']) {
    expect(record).not.toHaveProperty(field);
    expect(entry?.recipe).not.toHaveProperty(field);
  }

  expect(await ana.ledger()).toEqual(['grant 50', 'top_up 450', 'charge -320']);
  expect(await ana.events()).toEqual(['video.generation.succeeded']);
  expect(await ana.deliveries()).toMatchObject([{ status: 'delivered' }]);
  // The one connection is the delivery: neither picture was fetched.
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook']);
  expect((await here.invariants()).ok).toBe(true);
});
