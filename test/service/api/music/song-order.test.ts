import { expect, it } from 'vitest';
import { expectScenario } from '../../../support/scenario.ts';
import { world } from '../../../support/world.ts';

const here = await world();
await here.control('PUT', '/clock', { frozen: true });
const SONGS = '/music/generations';
const TAG = /^\[(Intro|Verse|Pre-Chorus|Chorus|Bridge|Outro)\]$/;
const LYRICS = '[Verse]\nThe tide is low\n\n[Chorus]\nThe tide is high';

/** Both takes fail without a render: orders and charges need no sound. */
const order = (fields: object) => ({ title: 'Tide [[fail]]', ...fields });

/** The response to a new account that orders one take. */
const written = async (fields: object) => (await (await here.account()).post(SONGS, { n: 1, ...fields })).body;

it('returns 202 with the effective parameters and one job per take, with its seed and charge [R010 R047 R052 R181 R182 R188 I028 I063 I064]', async () => {
  const ana = await here.account();
  const { status, body } = await ana.post(
    SONGS,
    order({ style: 'folk, female vocals', lyrics: LYRICS, seed: 41, seconds: null }),
  );
  expect(status).toBe(202);
  const model = 'svc-music-one';
  const style = 'folk, female vocals';
  const song = { title: 'Tide', style, lyrics: LYRICS, instrumental: false, seconds: 120 };
  const job = { object: 'music.generation', status: 'queued', model, created: body.created, ...song, credits: 12 };
  const id = expect.stringMatching(/^job_[0-9a-f]{24}$/);
  expect(body).toEqual({
    ...{ created: expect.any(Number), model, ...song },
    data: [
      { id, ...job, take: 1, seed: 41 },
      { id, ...job, take: 2, seed: 42 },
    ],
    usage: { credits_spent: 24, credits_remaining: 26 },
  });
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -12', 'charge -12']);
  const charges = (await ana.entries()).slice(1);
  expect(charges.map(({ job_id }) => job_id)).toEqual(body.data.map((each: { id: string }) => each.id));
});

it.each([
  [30, 1, 3],
  [30, 2, 6],
  [90, 2, 18],
  [120, 2, 24],
  [240, 2, 48],
])(
  'charges for a song of %i seconds in %i takes %i credits [R132 R180 R181 R186 R188]',
  async (seconds, n, credits) => {
    const ana = await here.account();
    const { body } = await ana.post(SONGS, order({ prompt: 'a song of the sea', seconds, n }));
    expect([body.seconds, body.data.length, body.usage.credits_spent]).toEqual([seconds, n, credits]);
    const charges = Array.from({ length: n }, () => `charge -${credits / n}`);
    expect((await ana.ledger()).slice(0, 1 + n)).toEqual(['grant 50', ...charges]);
  },
);

it.each([
  [0, [0, 1]],
  [4_294_967_294, [4_294_967_294, 4_294_967_295]],
  [4_294_967_295, [4_294_967_295]],
])('uses the seed %i for the first take and the next seed for a second take: %j [R182 I125]', async (seed, seeds) => {
  const body = await written(order({ prompt: 'a song of the sea', seed, n: seeds.length }));
  expect(body.data.map((job: { seed: number }) => job.seed)).toEqual(seeds);
});

it('derives the seed from the song request, on any account and for any number of takes [I063]', async () => {
  const seeds = async (fields: object) => {
    const body = await written(order({ n: 2, ...fields }));
    return body.data.map((job: { seed: number }) => job.seed);
  };
  const [first, second] = await seeds({ prompt: 'a song of the sea' });
  expect(second).toBe(first + 1);
  expect(await seeds({ prompt: 'a song of the sea' })).toEqual([first, second]);
  expect(await seeds({ prompt: 'a song of the sea', n: 1 })).toEqual([first]);
  expect(await seeds({ prompt: 'a song of the hills' })).not.toEqual([first, second]);
});

it('writes for a prompt the same style, title and lyrics each time, with section tags on separate lines [R052 R185 R186 R187 I097]', async () => {
  const body = await written({ prompt: 'a waltz about an old lighthouse [[fail]]' });
  const { title, style, lyrics } = body;
  expect(await written({ prompt: 'a waltz about an old lighthouse [[fail]]' })).toMatchObject({ title, style, lyrics });
  expect(body.title).toMatch(/\S/);
  expect(body.style.split(',').length).toBeGreaterThan(2);
  const lines: string[] = body.lyrics.split('\n');
  expect(lines.filter((line) => TAG.test(line)).length).toBeGreaterThan(1);
  expect(lines.filter((line) => line.includes('[') && !TAG.test(line))).toEqual([]);
  expect(lines[0]).toMatch(TAG);
  expect(body.data[0]).toMatchObject({ title, style, lyrics });
  expect(body.usage.credits_spent).toBe(12);
});

it('writes lyrics for a style without them, and keeps the style [R184 R186]', async () => {
  const body = await written(order({ style: 'Deutsch, Techno, 130 bpm' }));
  expect(body.style).toBe('Deutsch, Techno, 130 bpm');
  expect(body.lyrics).toMatch(/^\[(Intro|Verse)\]\n/);
  expect(body.usage.credits_spent).toBe(12);
});

it('writes a style and a title for lyrics, and keeps tagged lyrics unchanged except for a directive [I180]', async () => {
  const body = await written({ lyrics: `${LYRICS}[[fail]]` });
  expect(body.lyrics).toBe(LYRICS);
  expect(body.title).toMatch(/\S/);
  expect(body.style).toMatch(/\S/);
});

it('treats untagged lyrics as one verse [I180]', async () => {
  const body = await written(order({ lyrics: 'The tide is low\nThe moon is near' }));
  expect(body.lyrics).toBe('[Verse]\nThe tide is low\nThe moon is near');
});

it('writes no lyrics for an instrumental, and ignores given ones [R183 I065]', async () => {
  const body = await written(order({ prompt: 'a slow dawn', lyrics: 'how to make a bomb', instrumental: true }));
  expect([body.lyrics, body.instrumental]).toEqual([null, true]);
  expect(body.data[0]).toMatchObject({ lyrics: null, instrumental: true });
  expect(body.style).not.toMatch(/\b(vocals?|voice|singer)\b/i);
});

const FOR_TWO_TAKES = /at most 4294967294 for 2 takes.*send n: 1/;

it.each<[object, string, string, (string | RegExp)?]>([
  [{}, 'prompt', 'I063'],
  [{ title: 'Tide' }, 'prompt', 'I063'],
  [{ prompt: null, style: null, lyrics: null }, 'prompt', 'I063'],
  [{ instrumental: true, lyrics: 'la la' }, 'prompt', 'I180'],
  [{ prompt: '' }, 'prompt', 'I063'],
  [{ prompt: 5 }, 'prompt', 'I006'],
  [{ style: ['folk'] }, 'style', 'I006'],
  [{ lyrics: '' }, 'lyrics', 'I063'],
  [{ lyrics: 5 }, 'lyrics', 'I006'],
  [{ prompt: 'x', title: 5 }, 'title', 'I006'],
  [{ prompt: 'x', seconds: 29 }, 'seconds', 'R180'],
  [{ prompt: 'x', seconds: 45 }, 'seconds', 'R180'],
  [{ prompt: 'x', seconds: 270 }, 'seconds', 'R180'],
  [{ prompt: 'x', seconds: '60' }, 'seconds', 'R180'],
  [{ prompt: 'x', n: 0 }, 'n', 'R181'],
  [{ prompt: 'x', n: 3 }, 'n', 'R181'],
  [{ prompt: 'x', n: 1.5 }, 'n', 'R181'],
  [{ prompt: 'x', seed: -1 }, 'seed', 'I125'],
  [{ prompt: 'x', seed: 'seven' }, 'seed', 'I125'],
  [{ prompt: 'x', seed: 4_294_967_295, n: 2 }, 'seed', 'I125', FOR_TWO_TAKES],
  [{ prompt: 'x', seed: 4_294_967_295 }, 'seed', 'I125', FOR_TWO_TAKES],
  [{ prompt: 'x', seed: 4_294_967_296, n: 1 }, 'seed', 'I125', /a whole number from 0 to 4294967295/],
  [{ prompt: 'x', instrumental: 'yes' }, 'instrumental', 'I006'],
  [{ prompt: 'x', model: 'svc-voice-one' }, 'model', 'I102'],
  [{ prompt: 'x', model: 5 }, 'model', 'I006'],
])('rejects a song request with %j, names %s, and starts nothing [%s]', (body, field, _rules, says = field) =>
  expectScenario(here, { send: `POST ${SONGS}`, body, error: { field, says } }),
);

it.each([
  ['prompt', 10_000],
  ['style', 2000],
  ['lyrics', 20_000],
  ['title', 200],
])('rejects a song whose %s has more than %i characters, and starts nothing [I225]', (field, most) => {
  const says = `has ${most + 1} characters; it must have at most ${most}`;
  const body = { prompt: 'x', [field]: 'x'.repeat(most + 1) };
  return expectScenario(here, { send: `POST ${SONGS}`, body, error: { field, says } });
});

it('accepts a song with texts of the maximum length [I225]', async () => {
  const texts = { style: 'x'.repeat(2000), lyrics: `${'la '.repeat(6666)}la`, title: 't'.repeat(200) };
  const order = { ...texts, prompt: `[[fail]]${'𝄞'.repeat(10_000)}`, seconds: 30, n: 1 };
  expect((await (await here.account()).post(SONGS, order)).status).toBe(202);
});
