import { request } from 'node:http';
import { expect, it } from 'vitest';
import { faultyAccount } from '../../../support/striking.ts';
import type { TestAccount } from '../../../support/world.ts';
import { chat, refusals, signed, song, streamed } from './stories.ts';
import { TwoWorlds } from './two-worlds.ts';

const worlds = await TwoWorlds.start();

/** What a story differs in; nothing, where only the bytes are others. */
const ROWS = [
  { change: 'extra_field', story: chat, differs: ['chat.body.svc_note', 'balance.body.svc_note'] },
  { change: 'key_order', story: chat, differs: [] },
  { change: 'spelling', story: chat, differs: [] },
  { change: 'headers', story: chat, differs: ['chat.headers.x-svc-region', 'balance.headers.x-svc-region'] },
  {
    change: 'chunked',
    story: chat,
    differs: ['chat.headers.transfer-encoding', 'balance.headers.transfer-encoding'],
  },
  { change: 'stream_cut', story: streamed, differs: ['stream.raw'] },
  {
    change: 'message',
    story: refusals,
    differs: ['missing.body.error.message', 'blocked.body.error.message'],
  },
  { change: 'cdn_path', story: signed, differs: ['image.body.data.0.url'] },
];

it.each(ROWS)('applies the compatible change $change, and changes nothing else', async ({ change, story, differs }) => {
  const told = await worlds.tell({ change }, story);
  expect(told.differs.filter((path) => !differs.some((begin) => path.startsWith(begin)))).toEqual([]);
  expect(differs.filter((begin) => !told.differs.some((path) => path.startsWith(begin)))).toEqual([]);
  expect(told.neighbour).toEqual([]);
});

it('shows a final job as processing at one more read', async () => {
  const told = await worlds.tell({ change: 'one_more_poll' }, song);
  const began = ['take 1.body.', 'take 2.body.'];
  expect(told.differs.filter((path) => !began.some((begin) => path.startsWith(begin)))).toEqual([]);
  expect(told.seen).toMatchObject({ 'take 1': { body: { status: 'processing' } } });
});

it('sends an event of an unknown type before each event', async () => {
  const told = await worlds.tell({ change: 'unknown_event' }, (teller) => {
    if (teller.isChanged) teller.silent = 4;
    return song(teller);
  });
  expect(told.differs.filter((path) => !path.startsWith('events.'))).toEqual([]);
  expect(told.neighbour).toEqual([]);
});

/** The pieces in which a streamed reply of several bytes a character is written. */
function piecesOf({ world, headers }: TestAccount): Promise<Buffer[]> {
  const content = '[[reply:Überall hört man schöne Flöten, dann wird es still.]]';
  const body = { model: 'svc-rp-mini', stream: true, messages: [{ role: 'user', content }] };
  return new Promise((resolve, reject) => {
    const asked = request(`${world.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
    });
    asked.on('error', reject).on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve(pieces));
    });
    asked.end(JSON.stringify(body));
  });
}

function eventsOf(pieces: readonly Buffer[]): string[] {
  const events = Buffer.concat(pieces).toString().split('\n\n');
  return events.filter((event) => event.startsWith('data:'));
}

it('splits a stream inside events and characters, joins two events in one write, and adds comments', async () => {
  const { account } = await faultyAccount(worlds.changed, { change: 'stream_cut' });
  const other = await worlds.changed.account();
  const [cut, whole] = [await piecesOf(account), await piecesOf(other)];
  expect(cut.length).toBeGreaterThan(2);
  expect(whole.length).toBe(1);
  const inside = cut.slice(0, -1).filter((piece) => !piece.toString().endsWith('\n\n'));
  expect(inside.length).toBeGreaterThan(cut.length / 2);
  expect(cut.some((piece) => piece.toString().includes('\ufffd'))).toBe(true);
  expect(cut.some((piece) => piece.toString().split('data: {').length > 2)).toBe(true);
  expect(Buffer.concat(cut).toString()).toContain('\n\n: keep-alive\n\n');
  const text = (events: string[]) => events.join('').replaceAll(/"(?:id|created|credits_remaining)":[^,}]+/g, '');
  expect(text(eventsOf(cut))).toBe(text(eventsOf(whole)));
});
