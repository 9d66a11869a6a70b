import { expect, it } from 'vitest';
import { type Receiver, subscribe } from '../../../support/receiver.ts';
import { type TestAccount, world } from '../../../support/world.ts';

const here = await world({ settleAfter: 0.2 });
const SUBSCRIBED = ['video.generation.succeeded', 'video.generation.failed'];

async function listening(): Promise<{ ana: TestAccount; receiver: Receiver }> {
  const ana = await here.account({ credits: 500 });
  const { receiver } = await subscribe(ana, SUBSCRIBED);
  return { ana, receiver };
}

it.each([
  ['succeeded', 'a red boat', ['grant 50', 'top_up 450', 'charge -36']],
  ['failed', 'a red boat [[fail]]', ['grant 50', 'top_up 450', 'charge -36', 'refund 36']],
])(
  'ends a video as %s although nobody polls it, and sends its event once [R011 R117 R220 I061]',
  async (status, prompt, ledger) => {
    const { ana, receiver } = await listening();
    const order = { model: 'vid_max5havc', prompt, resolution: '480p' };
    const { body } = await ana.post('/videos/generations', order);
    const [request] = await receiver.received(1);
    expect(JSON.parse(request?.body ?? '{}')).toMatchObject({
      type: `video.generation.${status}`,
      data: { id: body.id },
    });
    // What the event says is already true when it comes.
    expect(await ana.ledger()).toEqual(ledger);
    expect(await ana.jobs()).toMatchObject([{ id: body.id, status }]);
    expect((await ana.get(`/videos/generations/${body.id}`)).body.status).toBe(status);
    expect(await ana.events()).toEqual([`video.generation.${status}`]);
    expect(receiver.requests).toHaveLength(1);
  },
);
