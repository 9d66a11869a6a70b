import { z } from 'zod';
import { unixSeconds } from '../../base/clock/clock.ts';
import { invalidRequestError } from '../../base/errors.ts';
import { emptyTextAsMissing, optional, text, unixTimeSchema, withDefault } from '../../base/schemas.ts';
import { ASPECT_RATIOS, type Catalogue, OWN_ENGINE } from '../../engine/catalogue/catalogue.ts';
import { RESOLUTIONS, type VideoEngine } from '../../engine/catalogue/catalogue-file.ts';
import { mergeDirectives, type TextAndDirectives } from '../../engine/faults/directives.ts';
import { jobRecord } from '../../engine/generation/job-record.ts';
import { orderAndAwaitRender } from '../../engine/generation/place-order.ts';
import { JOB_STATUSES } from '../../engine/jobs/job-store.ts';
import { findMentionedHandles, resolveElements, toClipElement } from '../../engine/library/element-store.ts';
import type { ClipElement } from '../../media/render-request.ts';
import type { BaseContext } from '../http/context.ts';
import {
  textWithDirectives,
  textWithUncheckedLength,
  warnOfMissingTake,
  warnOfUnusedDirectives,
} from '../http/directed-text.ts';
import { packFieldWithReason } from '../http/field-list.ts';
import { rejectionChoiceRegistry } from '../http/field-tree.ts';
import { creditUsageSchema, modelIdSchema } from '../http/input.ts';
import { choiceOfIssue, describeValue } from '../http/issue-text.ts';
import { defineOperation } from '../http/operation.ts';
import { privateUrlWarnings, type UrlField } from '../http/reachable-urls.ts';
import { AcceptedReply } from '../http/replies.ts';
import type { Call } from '../http/request.ts';
import { JsonWithBase64Reply } from '../http/send.ts';
import {
  checkClip,
  limitElementPictures,
  makeSynchronousClipPurchase,
  maxReferencePictures,
  OWN_ENGINE_DURATIONS,
  type OwnEngineDuration,
  orderClip,
} from './clip-purchases.ts';
import { pollJob } from './read-job.ts';

/** The URL of a picture is not validated here, because it must be valid only if the engine uses the picture. */
const picture = z.string();

const resolution = z
  .string()
  .toLowerCase()
  .pipe(z.enum(RESOLUTIONS))
  .meta({ enum: RESOLUTIONS })
  .register(rejectionChoiceRegistry, { choice: 'C090' });

const MAX_SEED = 4_294_967_295;

/**
 * Accepts any text, because engines ignore fields that they do not know [I219]. `requireValues` checks it for
 * svc-motion-one.
 */
const duration = z.string().meta({ enum: OWN_ENGINE_DURATIONS });
const seed = z
  .number()
  .meta({ type: 'integer', minimum: 0, maximum: MAX_SEED })
  .register(rejectionChoiceRegistry, { choice: 'C095' });
const MAX_ITEMS = 100;

const MAX_TEXT = 10_000;
const LOOK = { max: 64, choices: { long: 'C093' } } as const;

/** `chooseVideoMode` requires a prompt, unless a job uses a reference image. */
export const videoRequestSchema = z
  .object({
    prompt: optional(textWithDirectives({ min: 1, max: MAX_TEXT, choices: { long: 'C107' } })).describe(
      'a description of the scene, 1 to 10,000 characters; may mention elements as @handle.',
    ),
    model: emptyTextAsMissing(modelIdSchema('video')).describe(
      'the id of an engine, as in GET /v1/models (default: svc-motion-one).',
    ),
    duration: optional(duration).describe('5s or 10s, for svc-motion-one (default: 5s).'),
    store: withDefault(z.boolean(), false).describe('true to keep the video under a permanent URL (2 credits more).'),
    seconds: optional(z.int()).describe(
      'the length in seconds, a whole number: 5 to 10 for svc-motion-one; GET /v1/models has the range of each engine.',
    ),
    resolution: optional(resolution).describe('480p, 720p, 768p, 1080p or 2k.'),
    aspect: optional(z.enum(ASPECT_RATIOS).register(rejectionChoiceRegistry, { choice: 'C091' })).describe(
      '16:9, 9:16, 1:1, 4:3, 3:4 or 21:9 (default: 16:9).',
    ),
    shot: optional(text(LOOK)).describe('the camera move, at most 64 characters.'),
    lighting: optional(text(LOOK)).describe('the lighting, at most 64 characters.'),
    elements: optional(z.array(z.string()).max(MAX_ITEMS)).describe('an array of ids or handles of elements.'),
    audio: optional(z.boolean()).describe('true for a video with sound, if the engine offers the choice.'),
    reference: emptyTextAsMissing(picture).describe('the URL or data URL of the first reference image.'),
    references: optional(z.array(picture).max(MAX_ITEMS)).describe(
      'an array of URLs or data URLs of reference images.',
    ),
    end_reference: emptyTextAsMissing(picture).describe('the URL or data URL of the last image.'),
    seed: optional(seed).describe('a whole number from 0 to 4294967295.'),
    negative_prompt: optional(textWithUncheckedLength({ max: MAX_TEXT })).describe(
      'a description of what to avoid, at most 10,000 characters.',
    ),
  })
  .meta({ required: ['prompt'] });

type VideoBody = z.output<typeof videoRequestSchema>;

const videoResult = z.strictObject({
  created: unixTimeSchema,
  model: z.string(),
  data: z.array(
    z.xor([
      z.strictObject({ b64_json: z.string(), content_type: z.string() }),
      z.strictObject({ url: z.string(), content_type: z.string() }),
    ]),
  ),
  usage: creditUsageSchema,
});

const videoJob = z.looseObject({
  id: z.string(),
  object: z.literal('video.generation'),
  status: z.enum(JOB_STATUSES),
  model: z.string(),
  created: unixTimeSchema,
  credits: z.int(),
  completed: unixTimeSchema.optional(),
  result_url: z.string().optional(),
  content_type: z.string().optional(),
  library_id: z.string().optional(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
});

export const createVideo = defineOperation({
  name: 'createVideo',
  method: 'POST',
  path: '/v1/videos/generations',
  summary: 'Generates a video: in the response with svc-motion-one (100 or 180 credits), or as a job of any engine.',
  access: 'key',
  paid: 'video.generation',
  body: videoRequestSchema,
  answer: videoResult,
  accepted: videoJob.extend({ usage: creditUsageSchema }),
  matchValues: ({ model, prompt }) => ({ model, message: prompt?.text }),
  validate: (call) => call.warnAll(privateUrlWarnings(call.context, referenceUrlFields(call.body))),
  checkBeforeFaults: checkVideo,
  handle(call) {
    const { engine, isSynchronous, duration } = chooseVideoMode(call.context.generation.catalogue, call.body);
    return isSynchronous ? answerClip(call, engine, duration) : acceptJob(call, engine);
  },
});

async function answerClip(call: VideoCall, engine: VideoEngine, duration: OwnEngineDuration) {
  const { body, context } = call;
  const { text: prompt, directives } = body.prompt ?? NO_TEXT;
  warnOfUnusedDirectives(call, 'prompt', directives);
  const { figures, isCut } = limitElementPictures(engine, findNamedAndMentionedElements(call, prompt).figures);
  if (isCut) call.drop('elements');
  const settings = { prompt, duration, figures, store: body.store, directives };
  const purchase = makeSynchronousClipPurchase(context.generation.catalogue, settings);
  const { result, usage: spent } = await orderAndAwaitRender(context.generation, purchase, call);
  const { job, file, url } = result;
  const created = unixSeconds(job.created);
  const answer = <Item>(item: Item) => ({ created, model: job.model, data: [item], usage: spent });
  const { contentType: content_type } = file;
  if (body.store) return answer({ url, content_type });
  const clip = await context.storage.files.base64(file, (name) => context.storage.served.read(name));
  return new JsonWithBase64Reply(answer({ b64_json: '', content_type }), clip);
}

async function acceptJob(call: VideoCall, engine: VideoEngine) {
  const { body, context } = call;
  const options = toClipOptions(body);
  if (engine.family === null) warnOfUnusedDirectives(call, 'prompt', options.directives);
  else warnOfMissingTake(call, 'prompt', options.directives.fail);
  const settings = { ...options, figures: findNamedAndMentionedElements(call, options.prompt).figures };
  const { result, usage: spent } = await orderClip(context, engine, settings, call);
  for (const field of result.dropped) call.drop(field);
  // A client may send `duration` to get a synchronous video, but this request creates a job, which has another price.
  if (engine.family === null && body.duration !== undefined) call.warn(packFieldWithReason('duration', 'form=job'));
  call.annotations.shownJobs = [result.job];
  return new AcceptedReply({ ...jobRecord(result.job), usage: spent });
}

type VideoCall = Call<undefined, VideoBody>;

const NO_TEXT: TextAndDirectives = { text: '', directives: {} };

export function chooseVideoMode(catalogue: Catalogue, body: VideoBody) {
  const engine = catalogue.engine(body.model ?? catalogue.standard('video'));
  if (engine.id === OWN_ENGINE && body.duration !== undefined && body.seconds !== undefined) {
    throw invalidRequestError('duration', 'duration and seconds were both given; send one of them.', 'C087');
  }
  const isSynchronous = engine.id === OWN_ENGINE && !hasJobFields(body);
  requireValues(engine, body);
  const isPictured =
    maxReferencePictures(engine) > 0 && (body.reference !== undefined || (body.references ?? []).length > 0);
  if (!body.prompt && (isSynchronous || !isPictured)) {
    throw invalidRequestError('prompt', 'prompt is missing. Give a text that describes the scene.');
  }
  const { duration = '5s' } = body;
  return { engine, isSynchronous, duration: isDuration(duration) ? duration : ('5s' as const) };
}

export function toClipOptions(body: VideoBody) {
  const { text: prompt, directives } = body.prompt ?? NO_TEXT;
  const { negative_prompt: negative } = body;
  return {
    prompt,
    directives: mergeDirectives(directives, negative?.directives ?? {}),
    seconds: body.seconds,
    duration: body.duration,
    resolution: body.resolution,
    aspect: body.aspect ?? ('16:9' as const),
    shot: body.shot,
    lighting: body.lighting,
    audio: body.audio,
    seed: body.seed,
    negativePrompt: negative?.text,
    reference: body.reference,
    references: body.references,
    endReference: body.end_reference,
    elements: body.elements,
    store: body.store,
  };
}

export function referenceUrlFields({ reference, references = [], end_reference: last }: VideoBody): UrlField[] {
  const given = [
    { field: 'reference', url: reference },
    ...references.map((url, at) => ({ field: `references.${at}`, url })),
    { field: 'end_reference', url: last },
  ];
  return given.flatMap(({ field, url }) => (url === undefined ? [] : [{ field, url }]));
}

async function checkVideo(call: VideoCall): Promise<void> {
  const { engine, isSynchronous } = chooseVideoMode(call.context.generation.catalogue, call.body);
  namedElements(call);
  if (!isSynchronous) await checkClip(call.context.storage, engine, toClipOptions(call.body), call.caller);
}

interface ClipRequester {
  context: Pick<BaseContext, 'database' | 'storage'>;
  caller: { accountId: string };
  body: VideoBody;
  warn(field: string): void;
}

/** An unknown entry of `elements` is rejected. An unknown handle in the prompt is plain text, with a warning. */
export function findNamedAndMentionedElements(call: ClipRequester, prompt: string): { figures: ClipElement[] } {
  const { database, storage } = call.context;
  const { accountId } = call.caller;
  const named = namedElements(call);
  const mentioned = findMentionedHandles(prompt).flatMap((handle) => {
    const found = resolveElements(database, accountId, [handle]);
    if ('elements' in found) return found.elements;
    call.warn(packFieldWithReason('prompt', `handle=${handle}`));
    return [];
  });
  const unique = new Map([...named, ...mentioned].map((element) => [element.id, element]));
  return { figures: [...unique.values()].map((element) => toClipElement(storage.files, element)) };
}

function namedElements({ body, caller, context }: Omit<ClipRequester, 'warn'>) {
  const named = body.elements ?? [];
  const resolved = resolveElements(context.database, caller.accountId, named);
  if ('unknown' in resolved) throw unknownElement(resolved.unknown, named);
  return resolved.elements;
}

function unknownElement(position: number, named: readonly string[]): Error {
  const given = JSON.stringify(named[position]?.slice(0, 60));
  return invalidRequestError(
    `elements.${position}`,
    `elements.${position} must be the id or handle of an element of this account, not ${given}. POST /_emulator/elements creates one.`,
    'C094',
  );
}

const JOB_FIELDS = [
  'seconds',
  'resolution',
  'aspect',
  'shot',
  'lighting',
  'elements',
  'audio',
  'reference',
  'references',
  'end_reference',
  'seed',
  'negative_prompt',
] as const satisfies readonly (keyof VideoBody)[];

function hasJobFields(body: VideoBody): boolean {
  return JOB_FIELDS.some((field) => {
    const value = body[field];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
}

const NEGATIVE = text({ max: MAX_TEXT, choices: { long: 'C107' } });

function requireValues(engine: VideoEngine, body: VideoBody): void {
  const isOwn = engine.family === null;
  if (isOwn && body.duration !== undefined && !isDuration(body.duration)) {
    throw invalidRequestError('duration', `duration must be "5s" or "10s", not ${describeValue(body.duration)}.`);
  }
  const { seed, negative_prompt: negative } = body;
  if ((engine.negativePrompt || isOwn) && negative) {
    const [fault] = NEGATIVE.safeParse(negative.text).error?.issues ?? [];
    if (fault) throw invalidRequestError('negative_prompt', `negative_prompt ${fault.message}`, choiceOfIssue(fault));
  }
  if (!engine.seed || seed === undefined || (Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED)) return;
  throw invalidRequestError(
    'seed',
    `seed must be a whole number from 0 to ${MAX_SEED}, not ${describeValue(seed)}.`,
    'C095',
  );
}

function isDuration(text: string): text is OwnEngineDuration {
  return OWN_ENGINE_DURATIONS.some((duration) => duration === text);
}

export const getVideo = defineOperation({
  name: 'getVideo',
  method: 'GET',
  path: '/v1/videos/generations/:id',
  summary: 'Returns the job of a video. Free of charge.',
  access: 'key',
  answer: videoJob,
  async handle(call) {
    const { record } = await pollJob(call, 'video');
    return { ...record, object: 'video.generation' as const };
  },
});
