import { expect, it } from 'vitest';
import { chat, refusals, signed, song, streamed } from './stories.ts';
import { TwoWorlds } from './two-worlds.ts';

const worlds = await TwoWorlds.start();

/** What a story differs in; nothing, where only the bytes are others. */
const ROWS = [
  { liberty: 'extra_field', story: chat, differs: ['chat.body.svc_note', 'balance.body.svc_note'] },
  { liberty: 'key_order', story: chat, differs: [] },
  { liberty: 'spelling', story: chat, differs: [] },
  { liberty: 'headers', story: chat, differs: ['chat.headers.x-svc-region', 'balance.headers.x-svc-region'] },
  { liberty: 'chunked', story: chat, differs: ['chat.headers.transfer-encoding', 'balance.headers.transfer-encoding'] },
  { liberty: 'stream_cut', story: streamed, differs: ['stream.raw'] },
  {
    liberty: 'message',
    story: refusals,
    differs: ['wrong.body.error.message', 'missing.body.error.message', 'blocked.body.error.message'],
  },
  { liberty: 'cdn_path', story: signed, differs: ['image.body.data.0.url'] },
];

it.each(ROWS)('takes the liberty $liberty, and the rest stays', async ({ liberty, story, differs }) => {
  const told = await worlds.tell({ liberty }, story);
  expect(told.differs.filter((path) => !differs.some((begin) => path.startsWith(begin)))).toEqual([]);
  expect(differs.filter((begin) => !told.differs.some((path) => path.startsWith(begin)))).toEqual([]);
  expect(told.neighbour).toEqual([]);
});

it('shows a final job at work once more', async () => {
  const told = await worlds.tell({ liberty: 'one_more_poll' }, song);
  const began = ['take 1.body.', 'take 2.body.'];
  expect(told.differs.filter((path) => !began.some((begin) => path.startsWith(begin)))).toEqual([]);
  expect(told.seen).toMatchObject({ 'take 1': { body: { status: 'processing' } } });
});

it('sends an event of an unknown type beside each', async () => {
  const told = await worlds.tell({ liberty: 'unknown_event' }, (teller) => {
    if (teller.isLiedTo) teller.silent = 4;
    return song(teller);
  });
  expect(told.differs.filter((path) => !path.startsWith('events.'))).toEqual([]);
  expect(told.neighbour).toEqual([]);
});
