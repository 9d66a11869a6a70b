import { expect, it } from 'vitest';
import { eventSchema } from '../../src/events.ts';
import { EVENT_TYPES } from '../../src/webhooks/event-types.ts';
import { world } from '../support/world.ts';

const emulator = await world();

it.each(EVENT_TYPES)('has a schema that the example of %s fits', async (type) => {
  const account = await emulator.account();
  await emulator.control('POST', '/events/trigger', { type, workspace_id: account.workspaceId });
  const [envelope] = await account.envelopes();
  expect(eventSchema.parse(envelope)).toEqual(envelope);
});

it('has schemas that real events fit, of renders that succeed and that fail', async () => {
  const account = await emulator.account({ credits: 500 });
  await account.post('/images/generations', { prompt: 'a barn' });
  await account.post('/images/generations', { prompt: 'a barn [[fail]]' });
  await account.post('/videos/generations', { prompt: 'a barn', seconds: 5 });
  await account.post('/music/generations', { prompt: 'a waltz [[fail:take=2]]', seconds: 30 });
  await emulator.advance(0);
  const envelopes = await account.envelopes();
  expect(envelopes.map((each) => eventSchema.parse(each).type).toSorted()).toEqual([
    'image.generation.failed',
    'image.generation.succeeded',
    'music.generation.failed',
    'music.generation.succeeded',
    'video.generation.succeeded',
  ]);
});

it('refuses an event with a field too many, and one of a type that there is not', () => {
  const data = { id: 'job_1', model: 'svc-image-one', error: { code: 'x', message: 'y' } };
  const event = { id: 'evt_1', type: 'image.generation.failed', created: 1, data };
  expect(eventSchema.safeParse(event).success).toBe(true);
  expect(eventSchema.safeParse({ ...event, mood: 'fine' }).success).toBe(false);
  expect(eventSchema.safeParse({ ...event, type: 'image.generation.late' }).success).toBe(false);
});
