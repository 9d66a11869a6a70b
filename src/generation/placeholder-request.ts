import type { Catalogue } from '../catalogue/catalogue.ts';
import type { RenderRequest } from '../render/render-request.ts';
import { planClip } from './clip-plan.ts';
import { clipRender } from './clip-take.ts';
import { derivedSeed } from './rendered-work.ts';
import { Songwriter } from './songwriter/songwriter.ts';

/** A file that is wanted without a service. */
export interface PlaceholderWish {
  kind: 'image' | 'video' | 'speech' | 'music';
  prompt: string;
  model?: string | undefined;
  /** Of clips and songs. */
  seconds?: number | undefined;
  /** Of speech. */
  voice?: 'aria' | 'orion' | undefined;
  seed?: number | undefined;
}

const SONG_SECONDS = 30;

/**
 * What the service would render for a request with these fields only. Throws `model_not_found` for an unknown model and
 * `invalid_request` for a length that its engine does not support.
 */
export function placeholderRequest(catalogue: Catalogue, wish: PlaceholderWish): RenderRequest {
  const { kind, prompt, voice = 'aria' } = wish;
  if (kind === 'video') return clipFor(catalogue, wish);
  const model = catalogue.chosen(wish.model, kind);
  if (kind === 'speech') return { kind, model, text: prompt, voice };
  if (kind === 'image')
    return { kind, model, prompt, seed: wish.seed ?? derivedSeed(model, prompt, undefined, undefined) };
  const { seconds = SONG_SECONDS, seed = derivedSeed(model, prompt) } = wish;
  const song = new Songwriter().writeSong({ prompt, seconds, seed, instrumental: false });
  return { kind: 'song', model, title: song.title, style: song.style, lyrics: song.lyrics, seconds, seed };
}

function clipFor(catalogue: Catalogue, { prompt, model, seconds, seed }: PlaceholderWish): RenderRequest {
  const engine = catalogue.engine(model ?? catalogue.standard('video'));
  const order = { prompt, seconds, seed, aspect: '16:9' as const, figures: [] };
  return clipRender(engine, order, { plan: planClip(engine, order), pictures: { shown: [], last: undefined } });
}
