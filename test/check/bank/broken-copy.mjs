// Copies of the bank's applications, each with some differences from the correct file.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Writes a copy with the given changes to a folder where its imports resolve, and returns its path. */
export function copyOf(app, name, changes) {
  const extension = existsSync(path.join(here, app, `${app}.py`)) ? 'py' : 'mjs';
  let text = readFileSync(path.join(here, app, `${app}.${extension}`), 'utf8');
  for (const [from, to] of changes) {
    if (typeof from === 'string' ? !text.includes(from) : !from.test(text))
      throw new Error(`"${name}" of ${app} changes what is not there: ${from}`);
    text = typeof from === 'string' ? text.replace(from, () => to) : text.replace(from, to);
  }
  text = text.replace('../plain-fetch.mjs', new URL('plain-fetch.mjs', import.meta.url).href);
  const folder = path.join(here, '../../../node_modules', '.cache', 'check-bank');
  mkdirSync(folder, { recursive: true });
  const copy = path.join(folder, `${app}-${name.replace(/\W+/g, '-')}.${extension}`);
  writeFileSync(copy, text);
  return copy;
}
