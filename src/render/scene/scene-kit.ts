import { Lettering } from '../paint/lettering.ts';
import { Lexicon } from './scene-lexicon.ts';
import { Silhouettes } from './silhouettes.ts';

/** What drawing any scene takes; reading it costs a few milliseconds, so it is read once. */
export interface SceneKit {
  lexicon: Lexicon;
  silhouettes: Silhouettes;
  lettering: Lettering;
}

export function readSceneKit(): SceneKit {
  return { lexicon: new Lexicon(), silhouettes: new Silhouettes(), lettering: new Lettering() };
}
