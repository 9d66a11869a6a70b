import { parseBuffer } from 'music-metadata';
import { expect, it } from 'vitest';
import { scanMp3Frames } from '../../../../src/media/audio-probe.ts';
import { id3TagLength } from '../../../../src/media/mp3/id3-tag.ts';
import { fileForm } from '../../../support/wire.ts';
import { EXACT_RENDERS, type TestAccount, world } from '../../../support/world.ts';

const here = await world({}, EXACT_RENDERS);
await here.control('PUT', '/clock', { frozen: true });
const SONGS = '/music/generations';
const WEEK = 7 * 24 * 3600;
/** The words are fixed, so a take depends only on its seed. All tests share one render of each take. */
const WORDS = { title: 'Tide', style: 'folk', lyrics: '[Verse]\nThe tide is low' };
const ORDER = { prompt: 'a song of the sea', ...WORDS, seconds: 30, n: 1, seed: 3 };

async function takes(account: TestAccount, order: object) {
  const { body } = await account.post(SONGS, order);
  await here.advance(0);
  const polls = body.data.map(({ id }: { id: string }) => account.get(`${SONGS}/${id}`));
  return { ordered: body, records: (await Promise.all(polls)).map((poll) => poll.body) };
}

it('renders a song as an MP3 of constant 320 kbit/s at 48 kHz in stereo, with the length in its job [R048 R049 R050 R051 R192 I066]', async () => {
  const ana = await here.account();
  const { ordered, records } = await takes(ana, ORDER);
  const [record] = records;
  const { usage, data } = ordered;
  expect(record).toEqual({
    ...data[0],
    status: 'succeeded',
    completed: data[0].created,
    result_url: expect.stringContaining(
      `${here.url}/cdn/library/${record.library_id}/${record.library_id}.mp3?expires=${data[0].created + WEEK}&`,
    ),
    content_type: 'audio/mpeg',
    library_id: expect.stringMatching(/^lib_/),
    duration: expect.any(Number),
  });
  expect(usage.credits_spent).toBe(3);
  const { bytes, headers } = await here.call('GET', record.result_url);
  expect(headers.get('content-type')).toBe('audio/mpeg');
  const walk = scanMp3Frames(bytes, id3TagLength(bytes, 0) ?? 0);
  expect([walk?.end, walk?.cut]).toEqual([bytes.length, false]);
  expect((walk?.samples ?? 0) / 48_000).toBeCloseTo(record.duration, 3);
  const { format } = await parseBuffer(bytes, 'audio/mpeg', { duration: true });
  expect(format).toMatchObject({
    codec: 'MPEG 1 Layer 3',
    codecProfile: 'CBR',
    bitrate: 320_000,
    sampleRate: 48_000,
    numberOfChannels: 2,
  });
  expect(format.duration).toBeCloseTo(record.duration, 0);
  expect(Math.abs(record.duration - 30)).toBeLessThan(3);
});

it('publishes an event for each take of a song with its number and seed, and adds the take to the library [R053 R059 R223 R231 I047 I070]', async () => {
  const ana = await here.account();
  const { records } = await takes(ana, { ...ORDER, n: 2 });
  const envelopes = await ana.envelopes();
  const byTake = envelopes.toSorted((a, b) => a.data.take - b.data.take);
  expect(byTake.map(({ type, data }) => ({ type, data }))).toEqual(
    records.map(({ id, model, take, seed, content_type, result_url, library_id }: Record<string, unknown>) => ({
      type: 'music.generation.succeeded',
      data: { id, model, take, seed, content_type, result_url, library_id },
    })),
  );
  const library = (await ana.library()).toSorted((a, b) => a.recipe.take - b.recipe.take);
  expect(library).toMatchObject(
    records.map(({ id, library_id, title, style, lyrics, seed, take, duration }: Record<string, unknown>) => ({
      ...{ id: library_id, kind: 'music', job_id: id, credits: 3, duration },
      recipe: {
        prompt: ORDER.prompt,
        title,
        style,
        lyrics,
        seconds: 30,
        take,
        seed,
        model: 'svc-music-one',
      },
    })),
  );
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -3', 'charge -3']);
});

it('renders the same bytes for the same title, style, lyrics, length and seed, in the first or the second take [R182 I097]', async () => {
  const { records: two } = await takes(await here.account(), { ...ORDER, n: 2 });
  const { records: one } = await takes(await here.account(), { ...ORDER, seed: 4 });
  const etags = [...two, ...one].map(async ({ result_url }) => {
    const { headers } = await here.call('HEAD', result_url);
    return headers.get('etag');
  });
  const [first, second, alone] = await Promise.all(etags);
  expect(first).not.toBe(second);
  expect(alone).toBe(second);
});

it('stores the lyrics in the file of a song, so that a transcription returns them [I068]', async () => {
  const ana = await here.account();
  const { records } = await takes(ana, ORDER);
  const { bytes } = await here.call('GET', records[0].result_url);
  const { body } = await ana.post('/audio/transcriptions', fileForm(bytes, 'song.mp3'));
  expect(body.text).toBe(records[0].lyrics);
});
