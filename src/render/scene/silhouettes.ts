import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../package/fixture-folder.ts';

/** Shapes of creatures, people, houses and vehicles, in thousandths of their longer side, standing on y = 0 around x = 0. */
export class Silhouettes {
  readonly #lines = new Map<string, string>();
  readonly #shapes = new Map<string, number[][]>();

  constructor(path = join(fixtureFolder(), 'lexicon/silhouettes.txt')) {
    for (const line of readFileSync(path, 'latin1').split('\n')) {
      const space = line.indexOf(' ');
      if (space > 0) this.#lines.set(line.slice(0, space), line.slice(space + 1));
    }
  }

  shape(name: string): number[][] {
    const known = this.#shapes.get(name);
    if (known) return known;
    const made = (this.#lines.get(name) ?? '')
      .split(';')
      .filter((contour) => contour !== '')
      .map((contour) => contour.split(' ').map(Number));
    this.#shapes.set(name, made);
    return made;
  }
}
