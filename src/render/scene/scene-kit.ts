import { Lettering } from '../paint/lettering.ts';
import { FigureSet } from './figure-set.ts';
import { Lexicon } from './scene-lexicon.ts';
import { Silhouettes } from './silhouettes.ts';

/** What drawing any scene takes; reading it costs a few milliseconds, so it is read once. */
export interface SceneKit {
  lexicon: Lexicon;
  figures: FigureSet;
  silhouettes: Silhouettes;
  lettering: Lettering;
}

export function readSceneKit(): SceneKit {
  return {
    ...{ lexicon: new Lexicon(), figures: new FigureSet() },
    ...{ silhouettes: new Silhouettes(), lettering: new Lettering() },
  };
}
