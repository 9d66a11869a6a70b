import { price, speechTerms } from '../catalogue/catalogue.ts';
import { type Directives, failureOf } from '../faults/directives.ts';
import type { RenderParts } from './image.ts';
import type { Paid, Payer } from './order.ts';
import { type AwaitedRender, awaitedWork } from './rendered-work.ts';

export interface SpeechOrder {
  text: string;
  /** Length of the text in code points: what is priced. */
  characters: number;
  voice: 'aria' | 'orion';
  directives: Directives;
}

/** Speaks a text while the call waits. */
export function renderSpeech(
  { pipeline, processor, catalogue }: RenderParts,
  model: string,
  order: SpeechOrder,
  payer: Payer,
): Promise<Paid<AwaitedRender>> {
  const { text, characters, voice, directives } = order;
  const take = {
    parameters: { input: text, voice },
    render: { kind: 'speech' as const, model, text, voice },
    doomed: failureOf(directives),
  };
  return pipeline.run(
    {
      operation: 'audio.speech',
      model,
      prices: [price(speechTerms(catalogue.model(model, 'speech'), characters))],
      directives,
      work: awaitedWork(processor, { medium: 'speech', model, store: false, takes: [take], directives }, payer),
    },
    payer,
  );
}
