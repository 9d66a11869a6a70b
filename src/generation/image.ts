import { type Catalogue, imageTerms, type PriceTerm, price, storeTerms } from '../catalogue/catalogue.ts';
import { type Directives, failureOf } from '../faults/directives.ts';
import type { JobProcessor } from './job-processor.ts';
import type { Paid, Payer } from './order.ts';
import type { Pipeline } from './pipeline.ts';
import { type AwaitedRender, awaitedWork, derivedSeed } from './rendered-work.ts';

export interface RenderParts {
  pipeline: Pipeline;
  processor: JobProcessor;
  catalogue: Catalogue;
}

export interface ImageOrder {
  prompt: string;
  negativePrompt?: string | undefined;
  cfgScale?: number | undefined;
  store: boolean;
  directives: Directives;
}

/** Renders one picture while the call waits. Equal requests make equal pictures. */
export function renderImage(
  { pipeline, processor, catalogue }: RenderParts,
  model: string,
  order: ImageOrder,
  payer: Payer,
): Promise<Paid<AwaitedRender>> {
  const { prompt, negativePrompt, cfgScale, store, directives } = order;
  const seed = derivedSeed(model, prompt, negativePrompt, cfgScale);
  const take = {
    parameters: { prompt, negative_prompt: negativePrompt, cfg_scale: cfgScale, seed, store },
    render: { kind: 'image' as const, model, prompt, negativePrompt, cfgScale, seed },
    seed,
    doomed: failureOf(directives),
  };
  const terms = [...imageTerms(catalogue.model(model, 'image')), ...keepTerms(catalogue, store)];
  return pipeline.run(
    {
      operation: 'image.generation',
      model,
      prices: [price(terms)],
      stored: price(keepTerms(catalogue, store)),
      directives,
      work: awaitedWork(processor, { medium: 'image', model, store, takes: [take], directives }, payer),
    },
    payer,
  );
}

/** What keeping a render adds to its charge. */
export function keepTerms(catalogue: Catalogue, isStored: boolean): PriceTerm[] {
  return storeTerms(catalogue.file.storage.creditsPerStarted10MiB, isStored);
}
