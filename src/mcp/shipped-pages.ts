import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EmulatorError } from '../errors.ts';
import { packageFolder } from '../package/fixture-folder.ts';

const SCHEME = 'svc-emulator://';

/** The pages that come with the package, as resources of an assistant. */
export function shippedPages(): { uri: string; name: string; mimeType: string }[] {
  const docs = path.join(packageFolder(), 'docs');
  const pages = existsSync(docs) ? readdirSync(docs).filter((file) => file.endsWith('.md')) : [];
  const files = ['llms.txt', 'README.md', 'skills/svc-emulator/SKILL.md', ...pages.map((file) => `docs/${file}`)];
  const there = files.filter((file) => existsSync(path.join(packageFolder(), file)));
  return there.map((file) => ({
    uri: SCHEME + file,
    name: file,
    mimeType: file.endsWith('.md') ? 'text/markdown' : 'text/plain',
  }));
}

/** Throws `not_found` for what is none of them. */
export function readPage(uri: string): { uri: string; mimeType: string; text: string } {
  const page = shippedPages().find((each) => each.uri === uri);
  if (!page) {
    throw new EmulatorError(
      'not_found',
      `There is no page "${uri.slice(0, 80)}". resources/list names those there are.`,
    );
  }
  return { uri, mimeType: page.mimeType, text: readFileSync(path.join(packageFolder(), page.name), 'utf8') };
}
