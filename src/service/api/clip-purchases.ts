import { EmulatorError, invalidRequestError } from '../../base/errors.ts';
import { joinedWithOr } from '../../base/text.ts';
import { MAX_CLIP_SECONDS_BY_PLAN, PLAN_DISPLAY_NAMES } from '../../engine/accounts/account-store.ts';
import type { Caller } from '../../engine/accounts/key-store.ts';
import {
  type AspectRatio,
  type Catalogue,
  clipPriceLines,
  frameSize,
  OWN_ENGINE,
  ownEngineClipPriceLines,
  renderStoragePriceLines,
} from '../../engine/catalogue/catalogue.ts';
import type { Resolution, VideoEngine } from '../../engine/catalogue/catalogue-file.ts';
import type { Directives } from '../../engine/faults/directives.ts';
import type { ContentPolicy } from '../../engine/generation/content-policy.ts';
import {
  deriveSeed,
  type GenerationContext,
  orderRenderJobs,
  type PaidResult,
  type Payer,
  type RenderPurchase,
  type RenderToOrder,
} from '../../engine/generation/place-order.ts';
import type { Job } from '../../engine/jobs/job-store.ts';
import type { FilePins, Files } from '../../engine/storage/files.ts';
import type { ReferenceMediaReader } from '../../engine/storage/references.ts';
import type { ClipElement, ClipRequest, ReferencePicture } from '../../media/render-request.ts';

export interface ClipOptions {
  prompt: string;
  seconds?: number | undefined;
  duration?: string | undefined;
  resolution?: Resolution | undefined;
  aspect: AspectRatio;
  shot?: string | undefined;
  lighting?: string | undefined;
  audio?: boolean | undefined;
  seed?: number | undefined;
  negativePrompt?: string | undefined;
  reference?: string | undefined;
  references?: string[] | undefined;
  endReference?: string | undefined;
}

interface PlannedPicture {
  url: string;
  param: string;
}

interface ClipPlan {
  seconds: number;
  resolution: Resolution;
  audio: boolean;
  seed: number | undefined;
  negativePrompt: string | undefined;
  pictures: PlannedPicture[];
  last: PlannedPicture | undefined;
  dropped: string[];
}

export function planClip(engine: VideoEngine, options: ClipOptions): ClipPlan {
  const { pictures, surplus } = planPictures(engine, options);
  const { images } = engine;
  const resolution = options.resolution;
  const known = resolution !== undefined && engine.resolutions.includes(resolution);
  const unsupported = {
    duration: options.duration !== undefined && engine.family !== null,
    resolution: resolution !== undefined && !known,
    audio: options.audio !== undefined && engine.audio !== 'choice',
    seed: options.seed !== undefined && !engine.seed,
    negative_prompt: options.negativePrompt !== undefined && !engine.negativePrompt,
    end_reference: options.endReference !== undefined && !images.last,
  };
  const dropped = Object.entries(unsupported).flatMap(([field, isDropped]) => (isDropped ? [field] : []));
  return {
    seconds: planSeconds(engine, options),
    resolution: known ? resolution : standardResolution(engine),
    audio: engine.audio === 'choice' ? (options.audio ?? true) : engine.audio === 'native',
    seed: engine.seed ? options.seed : undefined,
    negativePrompt: engine.negativePrompt ? options.negativePrompt : undefined,
    pictures,
    last: options.endReference && images.last ? { url: options.endReference, param: 'end_reference' } : undefined,
    dropped: [...dropped, ...surplus],
  };
}

export function maxReferencePictures({ images: { start, references } }: VideoEngine): number {
  return Math.max(references, start ? 1 : 0);
}

interface Cast {
  figures: ClipElement[];
  pictures: number;
  isCut: boolean;
}

/**
 * Keeps as many pictures of elements as the engine's limit leaves room for, next to the `given` reference pictures. The
 * other elements lose their picture but keep their name. `pictures` counts only the kept pictures of elements [I220].
 */
export function limitElementPictures(engine: VideoEngine, figures: readonly ClipElement[], given = 0): Cast {
  const room = Math.max(0, maxReferencePictures(engine) - given);
  const pictured = figures.filter(({ picture }) => picture);
  const cut = new Set(pictured.slice(room));
  return {
    figures: figures.map((figure) => {
      const { picture, ...named } = figure;
      return cut.has(figure) ? named : figure;
    }),
    pictures: pictured.length - cut.size,
    isCut: cut.size > 0,
  };
}

function standardResolution(engine: VideoEngine): Resolution {
  const highest = engine.resolutions.at(-1) ?? '720p';
  return engine.resolutions.includes('720p') ? '720p' : highest;
}

function planSeconds(engine: VideoEngine, options: ClipOptions): number {
  const ofDuration = engine.family === null && options.duration ? Number.parseInt(options.duration, 10) : undefined;
  const { seconds: range } = engine;
  const shortest = 'min' in range ? range.min : Math.min(...range.oneOf);
  const seconds = options.seconds ?? ofDuration ?? shortest;
  const fits = 'min' in range ? seconds >= range.min && seconds <= range.max : range.oneOf.includes(seconds);
  if (fits) return seconds;
  const allowed = 'min' in range ? `from ${range.min} to ${range.max}` : joinedWithOr(range.oneOf.map(String));
  throw invalidRequestError(
    'seconds',
    `seconds must be ${allowed} for this engine, not ${seconds}. Choose another length or engine.`,
    'C096',
  );
}

function planPictures(engine: VideoEngine, options: ClipOptions): { pictures: PlannedPicture[]; surplus: string[] } {
  const room = maxReferencePictures(engine);
  const first = options.reference === undefined ? [] : [{ url: options.reference, param: 'reference' }];
  const others = (options.references ?? []).map((url, position) => ({
    url,
    param: `references.${position}`,
  }));
  const given = [...first, ...others];
  const surplus = given.slice(room).map(({ param }) => param);
  return { pictures: given.slice(0, room), surplus: joinDroppedReferences(surplus, others.length) };
}

function joinDroppedReferences(surplus: string[], count: number): string[] {
  const items = surplus.filter((param) => param.startsWith('references.'));
  if (count === 0 || items.length < count) return surplus;
  return [...surplus.filter((param) => param === 'reference'), 'references'];
}

interface ClipSettings extends ClipOptions {
  figures: ClipElement[];
  elements: string[] | undefined;
  store: boolean;
  directives: Directives;
}

interface Pictures {
  shown: ReferencePicture[];
  last: ReferencePicture | undefined;
}

function clipRequest(
  engine: VideoEngine,
  settings: Pick<ClipSettings, 'prompt' | 'aspect' | 'shot' | 'lighting' | 'figures'>,
  { plan, pictures }: { plan: ClipPlan; pictures: Pictures },
): ClipRequest {
  const { prompt, aspect, shot, lighting, figures } = settings;
  const { seconds, resolution, audio, negativePrompt } = plan;
  const [firstFrame, ...references] = pictures.shown;
  const seed = plan.seed ?? deriveSeed(engine.id, prompt, seconds, shot, lighting);
  return {
    kind: 'clip',
    model: engine.id,
    engine: engineName(engine),
    prompt,
    negativePrompt,
    seconds,
    audio,
    ...frameSize(resolution, aspect),
    seed,
    shot,
    lighting,
    figures,
    firstFrame,
    references,
    lastFrame: pictures.last,
  };
}

function renderOf(
  engine: VideoEngine,
  settings: ClipSettings,
  made: { plan: ClipPlan; pictures: Pictures },
): RenderToOrder {
  const { plan } = made;
  const { prompt, aspect, shot, lighting, elements, store } = settings;
  const { seconds, resolution, audio, negativePrompt } = plan;
  const request = clipRequest(engine, settings, made);
  const { seed } = request;
  const parameters = {
    prompt,
    seconds,
    resolution,
    aspect,
    shot,
    lighting,
    elements,
    audio,
    ...(engine.seed ? { seed } : {}),
    negative_prompt: negativePrompt,
    ...pictureParameters(plan),
    store,
  };
  return { parameters, request, seed };
}

function engineName(engine: VideoEngine): string {
  return engine.family === null ? engine.id : `engine ${engine.label}`;
}

function pictureParameters({ pictures, last }: ClipPlan): Record<string, unknown> {
  const [first, ...others] = pictures.map(({ url }) => shortUrl(url));
  return {
    reference: first,
    ...(others.length > 0 ? { references: others } : {}),
    end_reference: last && shortUrl(last.url),
  };
}

function shortUrl(url: string): string {
  if (!url.startsWith('data:')) return url;
  return `${url.slice(0, url.indexOf(',') + 1)}…`;
}

export const OWN_ENGINE_DURATIONS = ['5s', '10s'] as const;
export type OwnEngineDuration = (typeof OWN_ENGINE_DURATIONS)[number];

interface OwnClipSettings {
  prompt: string;
  duration: OwnEngineDuration;
  figures: ClipElement[];
  store: boolean;
  directives: Directives;
}

export function makeSynchronousClipPurchase(
  catalogue: Catalogue,
  { prompt, duration, figures, store, directives }: OwnClipSettings,
): RenderPurchase {
  const seconds = Number.parseInt(duration, 10);
  const seed = deriveSeed(OWN_ENGINE, prompt, duration);
  const request = {
    kind: 'clip' as const,
    model: OWN_ENGINE,
    engine: OWN_ENGINE,
    prompt,
    seed,
    seconds,
    width: 1280,
    height: 720,
    audio: true,
    figures,
    references: [],
  };
  const parameters = { prompt, duration, resolution: '720p', aspect: '16:9', audio: true, store };
  const ownClip = ownEngineClipPriceLines(catalogue.file.ownClips[duration], { duration, model: OWN_ENGINE });
  return {
    operation: 'video.generation',
    medium: 'video',
    model: OWN_ENGINE,
    lines: [...ownClip, ...renderStoragePriceLines(catalogue, store)],
    store,
    renders: [{ parameters, request, seed }],
    directives,
  };
}

interface GivenFiles {
  files: Files;
  references: ReferenceMediaReader;
}

interface PlacedClip {
  job: Job;
  dropped: string[];
}

export function orderClip(
  { generation, storage }: { generation: GenerationContext; storage: GivenFiles },
  engine: VideoEngine,
  settings: ClipSettings,
  payer: Payer,
): Promise<PaidResult<PlacedClip>> {
  const plan = planClip(engine, settings);
  requirePlanCap(plan.seconds, payer.caller);
  return storage.files.withPins(async (pins) => {
    const pictures = await readPictures(storage.references, plan, pins);
    const cast = limitElementPictures(engine, settings.figures, plan.pictures.length);
    const render = renderOf(engine, { ...settings, figures: cast.figures }, { plan, pictures });
    const failWith = isBlocked(generation.policy, engine, settings) ? 'content_blocked' : undefined;
    const { store, directives } = settings;
    const clip = clipPriceLines(engine, { ...plan, pictures: plan.pictures.length + cast.pictures });
    const { result, usage } = await orderRenderJobs(
      generation,
      {
        operation: 'video.generation',
        medium: 'video',
        model: engine.id,
        lines: [...clip, ...renderStoragePriceLines(generation.catalogue, store)],
        store,
        renders: [{ ...render, failWith }],
        directives,
      },
      payer,
    );
    const [job] = result;
    if (!job) throw new Error('a clip is one job');
    return { result: { job, dropped: [...plan.dropped, ...(cast.isCut ? ['elements'] : [])] }, usage };
  });
}

export async function checkClip(
  { files, references }: GivenFiles,
  engine: VideoEngine,
  options: ClipOptions,
  caller: Caller,
): Promise<void> {
  const plan = planClip(engine, options);
  requirePlanCap(plan.seconds, caller);
  await files.withPins((pins) => readPictures(references, plan, pins));
}

async function readPictures(references: ReferenceMediaReader, plan: ClipPlan, pins: FilePins): Promise<Pictures> {
  const shown = [];
  for (const { url, param } of plan.pictures) shown.push(await references.read(url, { param, pins }));
  const last = plan.last && (await references.read(plan.last.url, { param: plan.last.param, pins }));
  return { shown, last };
}

/** The service's own engine has no moderation. */
function isBlocked(policy: ContentPolicy, engine: VideoEngine, settings: ClipSettings): boolean {
  if (engine.family === null) return false;
  return settings.directives.block === 'request' || policy.findBlocked(settings.prompt) !== undefined;
}

function requirePlanCap(seconds: number, { plan }: Caller): void {
  const cap = MAX_CLIP_SECONDS_BY_PLAN[plan];
  if (seconds <= cap) return;
  throw new EmulatorError(
    'plan_cap_exceeded',
    `A video of ${seconds} s is longer than the plan ${PLAN_DISPLAY_NAMES[plan]} (${plan}) allows: ${cap} s. Ask for a shorter video, or change the plan with PATCH /_emulator/accounts/{id}.`,
    { param: 'seconds' },
  );
}
