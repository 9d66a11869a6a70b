import { z } from 'zod';
import { unixSeconds } from '../../clock/clock.ts';
import { jobRecord } from '../../generation/job-record.ts';
import { orderSong, requireSource } from '../../generation/music.ts';
import { withReason } from '../../http/field-list.ts';
import { operation } from '../../http/operation.ts';
import { warnOfTake } from '../../http/unused-directives.ts';
import { unixTime, usage } from '../usage-schema.ts';
import { songJob } from './song-job.ts';
import { readSong, songRequest } from './song-schema.ts';

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
  check({ context, body }) {
    context.catalogue.chosen(body.model, 'music');
    requireSource(body);
  },
  async handle(call) {
    const { body, context } = call;
    const model = context.catalogue.chosen(body.model, 'music');
    const order = readSong(body);
    const { result, usage: spent } = await orderSong(context, model, order, call);
    const { song, jobs } = result;
    call.facts.shown = jobs;
    call.facts.made = { song: { title: song.title, style: song.style, lyrics: song.lyrics ?? undefined } };
    warnOfTake(call, 'prompt', order.directives.fail, order.takes);
    if (order.directives.block === 'lyrics') call.warn(withReason('lyrics', 'directive=block'));
    if (song.isFallback) call.warn(withReason('style', 'language'));
    return {
      created: unixSeconds(jobs[0]?.created ?? context.clock.now()),
      model,
      title: song.title,
      style: song.style,
      lyrics: song.lyrics,
      instrumental: order.instrumental,
      seconds: order.seconds,
      data: jobs.map(jobRecord) as never,
      usage: spent,
    };
  },
});
