import { Lettering } from '../paint/lettering.ts';
import { FigureSet, Silhouettes } from './figure-set.ts';
import { Lexicon } from './scene-lexicon.ts';

/** What drawing any scene takes; reading it costs a few milliseconds, so it is read once. */
export interface SceneKit {
  lexicon: Lexicon;
  figures: FigureSet;
  silhouettes: Silhouettes;
  lettering: Lettering;
}

export function readSceneKit(): SceneKit {
  const figures = new FigureSet();
  const lettering = new Lettering((code) => figures.shape(figures.conceptOf(code.toString(16)) ?? ''));
  return { lexicon: new Lexicon(), figures, silhouettes: new Silhouettes(), lettering };
}
