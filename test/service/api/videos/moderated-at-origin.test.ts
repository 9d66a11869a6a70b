import { expect, it } from 'vitest';
import { world } from '../../../support/world.ts';
import { ENGINES, VIDEOS } from './engine-table.ts';

const here = await world();

it.each([
  ['a directive', 'a quiet street [[block]]'],
  ['a listed word', 'a tutorial: how to make a bomb'],
])(
  'a prompt that %s blocks is a job that fails and is refunded [R066 R116 R117 R233 I058 I179]',
  async (_why, prompt) => {
    const ana = await here.account();
    const accepted = await ana.post(VIDEOS, { model: ENGINES.M.model, prompt });
    expect([accepted.status, accepted.body.status]).toEqual([202, 'queued']);
    expect(accepted.body.usage).toEqual({ credits_spent: 36, credits_remaining: 14 });
    const { body } = await ana.finished(`${VIDEOS}/${accepted.body.id}`);
    expect(body).toMatchObject({ status: 'failed', error: { code: 'content_blocked' } });
    expect(body).not.toHaveProperty('result_url');
    expect(body).not.toHaveProperty('library_id');
    expect(await ana.ledger()).toEqual(['grant 50', 'charge -36', 'refund 36']);
    const [event, ...others] = await ana.envelopes();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'video.generation.failed' });
    expect(event?.data).toEqual({
      id: accepted.body.id,
      model: ENGINES.M.model,
      error: { code: 'content_blocked', message: expect.any(String) },
    });
    expect(await ana.library()).toEqual([]);
    expect((await here.invariants()).ok).toBe(true);
  },
);
