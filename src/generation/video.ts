import type { Caller } from '../accounts/account-store.ts';
import { CLIP_CAP, PLAN_NAME } from '../accounts/plans.ts';
import { keepTerms, price } from '../catalogue/catalogue.ts';
import type { Engine } from '../catalogue/catalogue-file.ts';
import { clipTerms, frameSize } from '../catalogue/clips.ts';
import { EmulatorError } from '../errors.ts';
import { type Directives, failureOf } from '../faults/directives.ts';
import type { Job } from '../jobs/job.ts';
import type { ClipRequest, Figure, ReferencePicture } from '../render/render-request.ts';
import type { Files, Hold } from '../storage/files.ts';
import type { References } from '../storage/references.ts';
import { type ClipPlan, type ClipWishes, castFigures, planClip } from './clip-plan.ts';
import type { ContentPolicy } from './content-policy.ts';
import type { Paid, Payer } from './order.ts';
import type { RenderParts } from './pipeline.ts';
import { derivedSeed, queuedWork, type Take } from './rendered-work.ts';

export interface VideoParts extends RenderParts {
  files: Files;
  references: References;
  policy: ContentPolicy;
}

export interface ClipOrder extends ClipWishes {
  figures: Figure[];
  /** Ids or handles as they were given. */
  elements: string[] | undefined;
  store: boolean;
  directives: Directives;
}

/** The job of a clip, and the parameters that its engine does not support. */
export interface OrderedClip {
  job: Job;
  dropped: string[];
}

/** Form 2: orders a clip of any engine. Throws `plan_cap_exceeded` for one longer than the workspace's plan allows. */
export function orderClip(
  parts: VideoParts,
  engine: Engine,
  order: ClipOrder,
  payer: Payer,
): Promise<Paid<OrderedClip>> {
  const plan = planClip(engine, order);
  requirePlanCap(plan.seconds, payer.caller);
  return parts.files.holding(async (hold) => {
    const pictures = await readPictures(parts.references, plan, hold);
    const cast = castFigures(engine, order.figures, plan.pictures.length);
    const take = takeOf(engine, { ...order, figures: cast.figures }, { plan, pictures });
    const doomed =
      failureOf(order.directives) ?? (isBlocked(parts.policy, engine, order) ? 'content_blocked' : undefined);
    const { store, directives } = order;
    const terms = clipTerms(engine, { ...plan, pictures: plan.pictures.length + cast.pictures });
    const render = {
      medium: 'video' as const,
      model: engine.id,
      store,
      takes: [{ ...take, doomed }],
      directives,
    };
    const { result, usage } = await parts.pipeline.run(
      {
        operation: 'video.generation',
        model: engine.id,
        prices: [price([...terms, ...keepTerms(parts.catalogue, store)])],
        stored: price(keepTerms(parts.catalogue, store)),
        directives,
        work: queuedWork(parts.processor, render, payer),
      },
      payer,
    );
    const [job] = result;
    if (!job) throw new Error('a clip is one job');
    return { result: { job, dropped: [...plan.dropped, ...(cast.isCut ? ['elements'] : [])] }, usage };
  });
}

/** Throws what `orderClip` throws before its work; reads the given pictures for it. */
export async function checkClip(
  { files, references }: Pick<VideoParts, 'files' | 'references'>,
  engine: Engine,
  wishes: ClipWishes,
  caller: Caller,
): Promise<void> {
  const plan = planClip(engine, wishes);
  requirePlanCap(plan.seconds, caller);
  await files.holding((hold) => readPictures(references, plan, hold));
}

interface Pictures {
  shown: ReferencePicture[];
  last: ReferencePicture | undefined;
}

async function readPictures(references: References, plan: ClipPlan, hold: Hold): Promise<Pictures> {
  const shown = [];
  for (const { url, param } of plan.pictures) shown.push(await references.read(url, { param, hold }));
  const last = plan.last && (await references.read(plan.last.url, { param: plan.last.param, hold }));
  return { shown, last };
}

/** Third-party engines are moderated by their providers; the service's own engine is not. */
function isBlocked(policy: ContentPolicy, engine: Engine, order: ClipOrder): boolean {
  if (engine.family === null) return false;
  return order.directives.block === 'request' || policy.findBlocked(order.prompt) !== undefined;
}

/** The request that renders a clip; without a given seed, one is derived from the other inputs of the render. */
export function clipRender(
  engine: Engine,
  order: Pick<ClipOrder, 'prompt' | 'aspect' | 'shot' | 'lighting' | 'figures'>,
  { plan, pictures }: { plan: ClipPlan; pictures: Pictures },
): ClipRequest {
  const { prompt, aspect, shot, lighting, figures } = order;
  const { seconds, resolution, audio, negativePrompt } = plan;
  const [firstFrame, ...references] = pictures.shown;
  const seed = plan.seed ?? derivedSeed(engine.id, prompt, seconds, shot, lighting);
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

function takeOf(engine: Engine, order: ClipOrder, made: { plan: ClipPlan; pictures: Pictures }): Take {
  const { plan } = made;
  const { prompt, aspect, shot, lighting, elements, store } = order;
  const { seconds, resolution, audio, negativePrompt } = plan;
  const render = clipRender(engine, order, made);
  const { seed } = render;
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
  return { parameters, render, seed };
}

/** The name of the engine as written into the picture of a clip. */
function engineName(engine: Engine): string {
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

/** Shortens a data URL, which may be megabytes long, to its type for the record. */
function shortUrl(url: string): string {
  if (!url.startsWith('data:')) return url;
  return `${url.slice(0, url.indexOf(',') + 1)}…`;
}

function requirePlanCap(seconds: number, { plan }: Caller): void {
  const cap = CLIP_CAP[plan];
  if (seconds <= cap) return;
  throw new EmulatorError(
    'plan_cap_exceeded',
    `A clip of ${seconds} s is longer than the plan ${PLAN_NAME[plan]} (${plan}) allows: ${cap} s. Ask for a shorter clip, or change the plan with PATCH /_emulator/workspaces/{id}.`,
    { param: 'seconds' },
  );
}
