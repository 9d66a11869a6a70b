import { expect, it } from 'vitest';
import { EVENT_TYPES, sentEventSchema } from '../../../src/engine/webhooks/event-schemas.ts';
import { errorSchema, eventSchema } from '../../../src/events.ts';
import { readPage } from '../../docs/follow-page.ts';
import { world } from '../../support/world.ts';

const emulator = await world();

it.each(EVENT_TYPES)('has a schema for the event %s that a triggered example event fits', async (type) => {
  const account = await emulator.account();
  await emulator.control('POST', '/events/trigger', { type, workspace_id: account.workspaceId });
  const [envelope] = await account.envelopes();
  expect(eventSchema.parse(envelope)).toEqual(envelope);
  expect(sentEventSchema.parse(envelope)).toEqual(envelope);
});

it('has schemas that real events of succeeded and failed renders fit', async () => {
  const account = await emulator.account({ credits: 500 });
  await account.post('/images/generations', { prompt: 'a barn' });
  await account.post('/images/generations', { prompt: 'a barn [[fail]]' });
  await account.post('/videos/generations', { prompt: 'a barn', seconds: 5 });
  await account.post('/music/generations', { prompt: 'a waltz [[fail:take=2]]', seconds: 30 });
  await emulator.advance(0);
  const envelopes = await account.envelopes();
  expect(envelopes.map((each) => sentEventSchema.parse(each).type).toSorted()).toEqual([
    'image.generation.failed',
    'image.generation.succeeded',
    'music.generation.failed',
    'music.generation.succeeded',
    'video.generation.succeeded',
  ]);
});

const EVENT = {
  ...{ id: 'evt_1', type: 'image.generation.failed', created: 1 },
  data: { id: 'job_1', model: 'svc-image-one', error: { code: 'x', message: 'y' } },
};

it('accepts events with unknown fields and types by the schema for receivers', () => {
  const { data } = EVENT;
  const later = { ...EVENT, mood: 'fine', data: { ...data, mood: 1, error: { ...data.error, mood: null } } };
  expect(eventSchema.parse(later)).toEqual(later);
  const unknown = { ...EVENT, type: 'image.generation.late', data: { anything: [1] } };
  expect(eventSchema.parse(unknown)).toEqual(unknown);
  expect(errorSchema.parse(ERROR)).toEqual(ERROR);
});

const ERROR = { error: { code: 'c', message: 'm', type: 't', param: null, hint: 'new' }, trace: 'new' };

it.each([
  ['data.error.code', { ...EVENT, data: { ...EVENT.data, error: { message: 'y' } } }],
  ['data.model', { ...EVENT, data: { ...EVENT.data, model: 7 } }],
  ['created', { ...EVENT, type: 'image.generation.late', created: 'now' }],
])('rejects an event with a wrong %s, and names it', (field, event) => {
  const read = eventSchema.safeParse(event);
  expect(read.error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
});

it('rejects an event with an unknown field by the strict schema for events that the emulator sends', () => {
  expect(sentEventSchema.safeParse(EVENT).success).toBe(true);
  expect(sentEventSchema.safeParse({ ...EVENT, mood: 'fine' }).success).toBe(false);
});

it('documents every type and field of events', () => {
  const [, chapter = ''] = /^## Events$([\s\S]*?)^## /m.exec(readPage('docs/webhook-receivers.md')) ?? [];
  const rows = [...chapter.matchAll(/^\| (.+?) \| (.+) \|$/gm)];
  for (const schema of sentEventSchema.unwrap().options) {
    const type = schema.shape.type.value;
    const row = rows.find(([, first = '']) => first.includes(`\`${type}\``));
    const told = [...(row?.[2] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect([type, told]).toEqual([type, expect.arrayContaining(Object.keys(schema.shape.data.shape))]);
  }
  const shapes = sentEventSchema.unwrap().options.map(({ shape }) => shape.data.shape);
  const { run, waiting, outputs, flow } = shapes.find((shape) => 'waiting' in shape) ?? expect.unreachable();
  const parts = { run, waiting, outputs: outputs.element, flow };
  for (const [name, schema] of Object.entries(parts)) {
    const row = rows.find(([, first]) => first === `\`${name}\``);
    const told = [...(row?.[2] ?? '').matchAll(/`(\w+)`/g)].map(([, field]) => field);
    expect([name, told]).toEqual([name, expect.arrayContaining(Object.keys(schema.shape))]);
  }
});
