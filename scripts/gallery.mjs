import { rm } from 'node:fs/promises';
import path from 'node:path';
import { bundleForNode, dist } from './built-files.mjs';

/** `npm run gallery` builds the gallery of samples. With `-- --languages`, it builds the gallery of languages. */
const page = process.argv.includes('--languages') ? 'gallery-languages.ts' : 'gallery-page.ts';
const outfile = await bundleForNode(`scripts/${page}`, path.join(dist, `gallery-${process.pid}.js`));
try {
  await import(outfile);
} finally {
  await rm(outfile);
}
