import { z } from 'zod';
import { unixSeconds } from '../../base/clock/clock.ts';
import { type ChoiceId, EmulatorError, invalidRequestError } from '../../base/errors.ts';
import { emptyTextAsMissing, integerBetween, optional, unixTimeSchema, withDefault } from '../../base/schemas.ts';
import { songPriceLines } from '../../engine/catalogue/catalogue.ts';
import { type Directives, mergeDirectives } from '../../engine/faults/directives.ts';
import type { ContentPolicy } from '../../engine/generation/content-policy.ts';
import { chargeRefundAndThrow } from '../../engine/generation/instant-work.ts';
import { type JobRecord, jobRecord } from '../../engine/generation/job-record.ts';
import {
  deriveSeed,
  type GenerationContext,
  orderRenderJobs,
  type PaidResult,
  type Payer,
  type RenderToOrder,
} from '../../engine/generation/place-order.ts';
import { JOB_STATUSES, type Job } from '../../engine/jobs/job-store.ts';
import { applyScriptedSong, type Song, type SongBrief } from '../../media/songwriter/songwriter.ts';
import { textWithDirectives, warnOfMissingTake } from '../http/directed-text.ts';
import { packFieldWithReason } from '../http/field-list.ts';
import { rejectionChoiceRegistry } from '../http/field-tree.ts';
import { creditUsageSchema, modelIdSchema } from '../http/input.ts';
import { defineOperation } from '../http/operation.ts';
import { pollJob } from './read-job.ts';

const choices = { long: 'C125' } as const;

const MAX_SEED = 4_294_967_295;

export const songRequestSchema = z
  .object({
    model: emptyTextAsMissing(modelIdSchema('music')).describe('svc-music-one, the default.'),
    prompt: optional(textWithDirectives({ min: 1, max: 10_000, choices })).describe(
      'a description of the song, at most 10,000 characters.',
    ),
    style: optional(textWithDirectives({ min: 1, max: 2000, choices })).describe(
      'comma-separated words, at most 2,000 characters: language, vocals, genre, tempo, instruments.',
    ),
    lyrics: optional(textWithDirectives({ min: 1, max: 20_000, choices })).describe(
      'the lyrics, at most 20,000 characters, with section tags such as [Verse] on separate lines.',
    ),
    title: optional(textWithDirectives({ max: 200, choices })).describe(
      'the title of the song, at most 200 characters.',
    ),
    seconds: withDefault(integerBetween(30, 240).multipleOf(30), 120).describe(
      '30 to 240 in steps of 30 (default: 120).',
    ),
    n: withDefault(integerBetween(1, 2), 2).describe('the number of takes, 1 or 2 (default: 2).'),
    seed: optional(integerBetween(0, MAX_SEED).register(rejectionChoiceRegistry, { choice: 'C127' })).describe(
      `a whole number from 0 to ${MAX_SEED}; at most ${MAX_SEED - 1} for two takes, because the second take has the next seed.`,
    ),
    instrumental: withDefault(z.boolean(), false).describe('true for a song without vocals.'),
  })
  .superRefine(({ n: takeCount, seed = 0 }, context) => {
    const last = MAX_SEED - takeCount + 1;
    if (seed <= last) return;
    const message = `must be at most ${last} for ${takeCount} takes, because each take has the next seed; lower it, or send n: 1.`;
    context.addIssue({ code: 'custom', path: ['seed'], message, params: { choice: 'C127' } });
  });

export function toSongSettings(body: z.output<typeof songRequestSchema>) {
  const { prompt, style, lyrics, title, seconds, seed, instrumental, n: takeCount } = body;
  const [first = {}, ...others] = [prompt, style, lyrics, title].flatMap((text) => text?.directives ?? []);
  const texts = {
    prompt: prompt?.text,
    style: style?.text,
    lyrics: lyrics?.text,
    title: title?.text,
  };
  return { ...texts, seconds, seed, instrumental, takeCount, directives: others.reduce(mergeDirectives, first) };
}

const songJob = z.looseObject({
  id: z.string(),
  object: z.literal('music.generation'),
  status: z.enum(JOB_STATUSES),
  model: z.string(),
  created: unixTimeSchema,
  take: z.int(),
  seed: z.int(),
  credits: z.int(),
  completed: unixTimeSchema.optional(),
  result_url: z.string().optional(),
  content_type: z.string().optional(),
  library_id: z.string().optional(),
  duration: z.number().optional(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
});

function songRecord({ take, seed }: Job, record: JobRecord): z.input<typeof songJob> {
  return { ...record, object: 'music.generation', take: take ?? 1, seed: seed ?? 0 };
}

const orderedSong = z.strictObject({
  created: unixTimeSchema,
  model: z.string(),
  title: z.string(),
  style: z.string(),
  lyrics: z.string().nullable(),
  instrumental: z.boolean(),
  seconds: z.int(),
  data: z.array(songJob),
  usage: creditUsageSchema,
});

export const createSong = defineOperation({
  name: 'createSong',
  method: 'POST',
  path: '/v1/music/generations',
  summary: 'Orders one or two takes of a song: 3 credits per 30 seconds of each take, rounded up.',
  access: 'key',
  paid: 'music.generation',
  body: songRequestSchema,
  status: 202,
  answer: orderedSong,
  matchValues: ({ model, prompt, style, lyrics }) => ({
    model,
    message: (prompt ?? style ?? lyrics)?.text,
  }),
  checkBeforeFaults({ context, body }) {
    context.generation.catalogue.chosen(body.model, 'music');
    requireSongDescription(body);
  },
  async handle(call) {
    const { body, context } = call;
    const model = context.generation.catalogue.chosen(body.model, 'music');
    const settings = toSongSettings(body);
    const { result, usage: spent } = await orderSong(context.generation, model, settings, call);
    const { song, jobs } = result;
    call.annotations.shownJobs = jobs;
    warnOfMissingTake(call, 'prompt', settings.directives.fail, settings.takeCount);
    // The directive has no effect on a song that gets here: if the songwriter writes the lyrics, `orderSong` throws.
    if (settings.directives.block === 'lyrics') call.warn(packFieldWithReason('lyrics', 'directive=block'));
    if (song.isFallback) call.warn(packFieldWithReason('style', 'language'));
    return {
      created: unixSeconds(jobs[0]?.created ?? context.clock.now()),
      model,
      title: song.title,
      style: song.style,
      lyrics: song.lyrics,
      instrumental: settings.instrumental,
      seconds: settings.seconds,
      data: jobs.map((job) => songRecord(job, jobRecord(job))),
      usage: spent,
    };
  },
});

interface SongSettings extends Omit<SongBrief, 'seed'> {
  takeCount: number;
  seed?: number | undefined;
  directives: Directives;
}

interface PlacedSong {
  song: Song;
  jobs: readonly Job[];
}

/**
 * Throws `content_blocked` before the charge if the request is blocked. If lyrics are blocked that the songwriter or a
 * scripted answer supplied, throws it after the charge and its refund.
 */
export async function orderSong(
  generation: GenerationContext,
  model: string,
  settings: SongSettings,
  payer: Payer,
): Promise<PaidResult<PlacedSong>> {
  requireSongDescription(settings);
  const seed = settings.seed ?? seedOf(settings);
  const writtenSong = generation.songwriter.writeSong({ ...settings, seed });
  const song = applyScriptedSong(writtenSong, payer.scripted?.song);
  const { directives } = settings;
  const purchase = {
    operation: 'music.generation' as const,
    model,
    lines: songPriceLines(generation.catalogue.model(model, 'music'), settings.seconds),
    directives,
    blockedBeforeCharge: blockedRequest(generation.policy, settings),
  };
  const blocked = blockedLyrics(generation.policy, song, directives);
  if (blocked) return chargeRefundAndThrow(generation, { ...purchase, count: settings.takeCount }, payer, blocked);
  const renders = Array.from({ length: settings.takeCount }, (_, at) =>
    renderOf(model, settings, song, { take: at + 1, seed: seed + at }),
  );
  const ofJobs = { ...purchase, medium: 'music' as const, store: false, renders };
  const { result: jobs, usage } = await orderRenderJobs(generation, ofJobs, payer);
  return { result: { song, jobs }, usage };
}

function renderOf(
  model: string,
  settings: SongSettings,
  song: Song,
  { take, seed }: { take: number; seed: number },
): RenderToOrder {
  const { title, style, lyrics } = song;
  const { seconds, instrumental, prompt } = settings;
  return {
    parameters: { prompt, title, style, lyrics, instrumental, seconds, take, seed },
    request: { kind: 'song', model, title, style, lyrics, seconds, seed },
    take,
    seed,
  };
}

export function requireSongDescription({
  prompt,
  style,
  lyrics,
  instrumental,
}: Partial<Record<'prompt' | 'style' | 'lyrics', unknown>> & { instrumental: boolean }): void {
  if (prompt === undefined && style === undefined && lyrics === undefined) {
    throw invalidRequestError(
      'prompt',
      'A song needs at least one of prompt, style and lyrics; send one of them.',
      'C124',
    );
  }
  if (instrumental && prompt === undefined && style === undefined) {
    throw invalidRequestError(
      'prompt',
      'An instrumental ignores its lyrics, and nothing else says what to play; send prompt or style.',
      'C132',
    );
  }
}

/** Returns a seed below the highest one, because the second take has the next seed. */
function seedOf({ prompt, style, lyrics, title, seconds, instrumental }: SongSettings): number {
  return Math.min(deriveSeed(prompt, style, lyrics, title, seconds, instrumental), MAX_SEED - 1);
}

function blockedRequest(policy: ContentPolicy, settings: SongSettings): Error | undefined {
  const { prompt, style, lyrics, title, directives } = settings;
  if (directives.block === 'request') return blockedError('a directive asks for it');
  const given = [prompt, style, title, settings.instrumental ? undefined : lyrics];
  const found = given.map((text) => text && policy.findBlocked(text)).find(Boolean);
  return found ? blockedError(`it names "${found.word}": ${found.reason}`) : undefined;
}

function blockedLyrics(policy: ContentPolicy, song: Song, directives: Directives): Error | undefined {
  if (!song.isWritten.lyrics || !song.lyrics) return undefined;
  if (directives.block === 'lyrics')
    return blockedError('the written lyrics are refused, as a directive asks; the charge was refunded', 'C134');
  const found = policy.findBlocked(song.lyrics);
  return (
    found &&
    blockedError(`the written lyrics contain "${found.word}": ${found.reason}; the charge was refunded`, 'C134')
  );
}

function blockedError(reason: string, choice?: ChoiceId): EmulatorError {
  return new EmulatorError(
    'content_blocked',
    `The content policy refuses this song: ${reason}. Nothing is billed; change the words and send it again.`,
    { choice },
  );
}

export const getSong = defineOperation({
  name: 'getSong',
  method: 'GET',
  path: '/v1/music/generations/:id',
  summary: 'Returns the job of a take. Free of charge.',
  access: 'key',
  answer: songJob,
  async handle(call) {
    const { job, record } = await pollJob(call, 'music');
    return songRecord(job, record);
  },
});
