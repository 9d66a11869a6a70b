import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Whoever uses what is under these owes no text. */
const PUBLIC_DOMAIN = {
  Unlicense: 'Its authors gave it to the public domain: https://unlicense.org',
  'CC0-1.0': 'Its authors gave it to the public domain: https://creativecommons.org/publicdomain/zero/1.0',
};

const FOLDER = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** The licence texts of every package whose code is in a bundle, from esbuild's metafiles. */
export function thirdPartyLicences(root, metafiles) {
  const folders = metafiles
    .flatMap(({ inputs }) => Object.keys(inputs))
    .map((input) => FOLDER.exec(input)?.[1])
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)]
    .sort()
    .map((folder) => chapter(path.join(root, folder)))
    .join('\n');
}

function chapter(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const texts = files
    .filter((file) => /^(licen[cs]e|copying|notice)|\.licen[cs]e\.txt$/i.test(file))
    .map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  if (texts.length === 0 && PUBLIC_DOMAIN[license]) texts.push(PUBLIC_DOMAIN[license]);
  return [`## ${name} ${version} (${license})`, '', ...new Set(texts), ''].join('\n');
}
