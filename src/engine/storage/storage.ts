import type { Renderer } from '../../media/render-request.ts';
import type { Elements } from '../library/elements.ts';
import type { ServedFiles } from '../library/served-files.ts';
import type { Files } from './files.ts';
import type { Objects } from './objects.ts';
import type { References } from './references.ts';

export interface Storage {
  readonly files: Files;
  readonly renderer: Renderer;
  readonly objects: Objects;
  readonly references: References;
  readonly served: ServedFiles;
  readonly elements: Elements;
}
