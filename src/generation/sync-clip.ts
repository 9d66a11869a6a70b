import { OWN_ENGINE, price } from '../catalogue/catalogue.ts';
import { ownClipTerms } from '../catalogue/clips.ts';
import { type Directives, failureOf } from '../faults/directives.ts';
import type { Figure } from '../render/render-request.ts';
import { keepTerms, type RenderParts } from './image.ts';
import type { Paid, Payer } from './order.ts';
import { type AwaitedRender, awaitedWork, derivedSeed } from './rendered-work.ts';

export interface OwnClipOrder {
  prompt: string;
  duration: '5s' | '10s';
  figures: Figure[];
  store: boolean;
  directives: Directives;
}

/** Form 1: a 720p clip of the own engine, rendered while the call waits. */
export function renderOwnClip(parts: RenderParts, order: OwnClipOrder, payer: Payer): Promise<Paid<AwaitedRender>> {
  const { pipeline, processor, catalogue } = parts;
  const { prompt, duration, figures, store, directives } = order;
  const seconds = Number.parseInt(duration, 10);
  const seed = derivedSeed(OWN_ENGINE, prompt, duration);
  const render = {
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
  const take = {
    parameters: { prompt, duration, resolution: '720p', aspect: '16:9', audio: true, store },
    render,
    seed,
    doomed: failureOf(directives),
  };
  const ownClip = ownClipTerms(catalogue.file.ownClips[duration], { duration, model: OWN_ENGINE });
  return pipeline.run(
    {
      operation: 'video.generation',
      model: OWN_ENGINE,
      prices: [price([...ownClip, ...keepTerms(catalogue, store)])],
      stored: price(keepTerms(catalogue, store)),
      directives,
      work: awaitedWork(processor, { medium: 'video', model: OWN_ENGINE, store, takes: [take], directives }, payer),
    },
    payer,
  );
}
