import { invalid } from '../../errors.ts';
import type { StepKind } from '../../flows/step-kind.ts';
import { orderSong, requireSource } from '../../generation/music.ts';
import type { StepContext } from '../../http/context.ts';
import { createSong } from '../music/create-song.ts';
import { readSong, songRequest } from '../music/song-schema.ts';
import { operationStep } from './operation-step.ts';

/** Renders one take of a song. */
export function musicStep(context: StepContext): StepKind {
  const chosen = (model: string | undefined) => context.catalogue.chosen(model, 'music');
  return operationStep(context, {
    output: 'audio',
    operation: createSong,
    schema: songRequest,
    given: { n: 1 },
    check(body) {
      if (body.n !== 1) throw invalid('n', 'n must be 1 in a flow: a step has one output.');
      chosen(body.model);
      requireSource(body);
    },
    asked: ({ model, prompt, style, lyrics }) => ({
      model,
      message: (prompt ?? style ?? lyrics)?.text,
    }),
    order: (body, payer) => orderSong(context, chosen(body.model), readSong(body), payer),
  });
}
