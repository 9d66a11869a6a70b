import { EmulatorError } from '../base/errors.ts';
import { editDistance } from '../base/text.ts';

export function wrongMethod(method: string, path: string, methods: string[]): EmulatorError {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return new EmulatorError('method_not_allowed', `${method} is not a method of ${path}; use ${methods.join(' or ')}.`, {
    headers: { allow: allowed.join(', ') },
  });
}

/** Under /v1 it names the closest path, elsewhere the missing /v1. */
export function unknownPath(pathname: string, known: readonly string[]): EmulatorError {
  const message = `There is no ${pathname.slice(0, 120)}.${hint(pathname, known)}`;
  return new EmulatorError('not_found', message, { choice: 'C025' });
}

/** True if only the prefix is missing or a slash is doubled. */
export function isMeantForService(pathname: string, known: readonly string[]): boolean {
  const single = pathname.replace(/\/{2,}/g, '/');
  return single.startsWith('/v1/') || prefixedPath(single, known) !== undefined;
}

function prefixedPath(pathname: string, known: readonly string[]): string | undefined {
  return known.find((path) => path.startsWith('/v1/') && sameShape(path, `/v1${pathname}`));
}

function hint(pathname: string, known: readonly string[]): string {
  if (pathname.includes('//')) return doubleSlash(pathname);
  const service = known.filter((path) => path.startsWith('/v1/'));
  if (pathname.startsWith('/v1/')) return ` Did you mean ${nearest(pathname, service)}?`;
  const prefixed = prefixedPath(pathname, known);
  if (prefixed) return ` The path lacks its prefix: use ${prefixed} (a client's base URL ends in /v1).`;
  if (pathname.startsWith('/_emulator/')) return ` Did you mean ${nearest(pathname, known)}?`;
  return ' The service is under /v1, control operations under /_emulator.';
}

function doubleSlash(pathname: string): string {
  const single = pathname.slice(0, 120).replace(/\/{2,}/g, '/');
  return ` It has a double slash: use ${single}, and a base URL that does not end in a slash.`;
}

function sameShape(pattern: string, pathname: string): boolean {
  const wanted = pattern.split('/');
  const given = pathname.split('/');
  return wanted.length === given.length && wanted.every((part, at) => part.startsWith(':') || part === given[at]);
}

/** Paths of other services, and their equivalents. */
const MEANT: Record<string, string> = {
  '/v1/responses': '/v1/chat/completions',
  '/v1/completions': '/v1/chat/completions',
  '/v1/embeddings': '/v1/models',
  '/v1/files': '/v1/storage/objects',
  '/v1/audio/translations': '/v1/audio/transcriptions',
  '/v1/images/edits': '/v1/images/generations',
  '/v1/videos': '/v1/videos/generations',
  '/_emulator/ledger': '/_emulator/accounts/{id}/usage',
};

const SAME: Record<string, string> = {
  ledger: 'usage',
  transaction: 'usage',
  charge: 'usage',
  log: 'request',
  journal: 'request',
  webhook: 'endpoint',
  time: 'clock',
  mock: 'fixture',
  stub: 'fixture',
};

/** The path with the most common words, then the shortest, then the closest spelling. */
function nearest(pathname: string, known: readonly string[]): string {
  const meant = MEANT[pathname];
  if (meant) return meant;
  const asked = pathname.slice(0, 200);
  const words = wordsOf(asked);
  const ranked = known.map((path) => ({
    path,
    shared: wordsOf(path).filter((word) => words.includes(word)).length,
    distance: editDistance(path, asked),
  }));
  const most = Math.max(...ranked.map(({ shared }) => shared));
  const near = ranked.filter(({ shared }) => shared === most);
  const best = near.reduce((before, each) => (each.distance < before.distance ? each : before));
  return best.path.replace(/:(\w+)/g, '{$1}');
}

/** Without parameters and prefix, in the singular. */
function wordsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => !part.startsWith(':'));
  const words = parts.slice(2).flatMap((part) => part.toLowerCase().split(/[-_.]/));
  return words
    .map((word) => word.replace(/s$/, ''))
    .map((word) => (Object.hasOwn(SAME, word) ? (SAME[word] as string) : word));
}
