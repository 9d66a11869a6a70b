import { z } from 'zod';
import { unixSeconds } from '../../clock/clock.ts';
import { mergeDirectives } from '../../faults/directives.ts';
import { jobRecord } from '../../generation/job-record.ts';
import { orderSong, requireSource } from '../../generation/music.ts';
import { withReason } from '../../http/field-list.ts';
import { directedText, optional, whole, withDefault } from '../../http/field-schemas.ts';
import { warnOfTake } from '../../http/idle-directives.ts';
import { operation } from '../../http/operation.ts';
import { unixTime, usage } from '../usage-schema.ts';
import { songJob } from './song-job.ts';

const songRequest = z.object({
  model: optional(z.string()).describe('svc-music-one, the default.'),
  prompt: optional(directedText({ min: 1 })).describe('the song in one sentence.'),
  style: optional(directedText({ min: 1 })).describe(
    'comma-separated words: language, vocals, genre, tempo, instruments.',
  ),
  lyrics: optional(directedText({ min: 1 })).describe(
    'the words, with section tags such as [Verse] on lines of their own.',
  ),
  title: optional(directedText()).describe('the title of the song.'),
  seconds: withDefault(whole(30, 240).multipleOf(30), 120).describe(
    '30 to 240 in steps of 30, by default 120.',
  ),
  n: withDefault(whole(1, 2), 2).describe('1 or 2 takes, by default 2.'),
  seed: optional(whole(0, 4_294_967_294)).describe('a whole number from 0 to 4294967294.'),
  instrumental: withDefault(z.boolean(), false).describe('true for a song without a voice.'),
});

const orderedSong = z.strictObject({
  created: unixTime,
  model: z.string(),
  title: z.string(),
  style: z.string(),
  lyrics: z.string().nullable(),
  instrumental: z.boolean(),
  seconds: z.int(),
  data: z.array(songJob),
  usage,
});

export const createSong = operation({
  name: 'createSong',
  method: 'POST',
  path: '/v1/music/generations',
  summary: 'Orders one or two takes of a song: 3 credits per started 30 seconds and take.',
  access: 'key',
  paid: 'music.generation',
  body: songRequest,
  status: 202,
  answer: orderedSong,
  asked: ({ model, prompt, style, lyrics }) => ({
    model,
    message: (prompt ?? style ?? lyrics)?.text,
  }),
  check({ emulator, body }) {
    emulator.catalogue.chosen(body.model, 'music');
    requireSource(body);
  },
  async handle(call) {
    const { body, emulator } = call;
    const model = emulator.catalogue.chosen(body.model, 'music');
    const { prompt, style, lyrics, title } = body;
    const directives = [prompt, style, lyrics, title]
      .map((text) => text?.directives ?? {})
      .reduce(mergeDirectives);
    const { seconds, seed, instrumental } = body;
    const texts = {
      prompt: prompt?.text,
      style: style?.text,
      lyrics: lyrics?.text,
      title: title?.text,
    };
    const order = { ...texts, seconds, seed, instrumental, takes: body.n, directives };
    const { result, usage: spent } = await orderSong(emulator, model, order, call);
    const { song, jobs } = result;
    warnOfTake(call, 'prompt', directives.fail, body.n);
    if (directives.block === 'lyrics') call.warn(withReason('lyrics', 'directive=block'));
    call.facts.credits = spent.credits_spent;
    call.facts.jobIds = jobs.map((job) => job.id);
    return {
      created: unixSeconds(jobs[0]?.created ?? emulator.clock.now()),
      ...{
        model,
        title: song.title,
        style: song.style,
        lyrics: song.lyrics,
        instrumental,
        seconds,
      },
      data: jobs.map(jobRecord) as never,
      usage: spent,
    };
  },
});
