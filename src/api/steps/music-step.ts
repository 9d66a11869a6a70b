import { invalid } from '../../errors.ts';
import type { Params, StepKind } from '../../flows/step-kind.ts';
import { orderSong, requireSource } from '../../generation/music.ts';
import { BodyReader } from '../body-reader.ts';
import { readSong, songRequest } from '../music/song-schema.ts';
import { checkBody, type StepParts } from './step-parts.ts';

/** Renders one take of a song. */
export function musicStep(parts: StepParts): StepKind {
  const reader = new BodyReader(songRequest);
  const chosen = (model: string | undefined) => parts.catalogue.chosen(model, 'music');
  return {
    output: 'audio',
    path: '/v1/music/generations',
    check: (params, isOpen) =>
      checkBody(reader, { params: oneTake(params), isOpen }, (body) => {
        if (body.n !== 1) throw invalid('n', 'n must be 1 in a flow: a step has one output.');
        chosen(body.model);
        requireSource(readSong(body));
      }),
    async order(params, payer) {
      const body = reader.read(oneTake(params));
      return orderSong(parts, chosen(body.model), { ...readSong(body), takes: 1 }, payer);
    },
  };
}

function oneTake(params: Params): Params {
  return { ...params, n: params.n ?? 1 };
}
