import type { ClipRequest, Figure, ReferencePicture } from '../../media/render-request.ts';
import type { Engine } from '../catalogue/catalogue-file.ts';
import { frameSize } from '../catalogue/clips.ts';
import type { Directives } from '../faults/directives.ts';
import type { ClipPlan, ClipWishes } from './clip-plan.ts';
import type { Take } from './order.ts';
import { derivedSeed } from './rendered-work.ts';

export interface ClipOrder extends ClipWishes {
  figures: Figure[];
  /** Ids or handles as they were given. */
  elements: string[] | undefined;
  store: boolean;
  directives: Directives;
}

export interface Pictures {
  shown: ReferencePicture[];
  last: ReferencePicture | undefined;
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

export function takeOf(engine: Engine, order: ClipOrder, made: { plan: ClipPlan; pictures: Pictures }): Take {
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
