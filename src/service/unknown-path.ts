import { EmulatorError } from '../base/errors.ts';
import { closestName } from '../base/text.ts';

const PATH_ALIASES: Readonly<Record<string, string>> = {
  '/v1/responses': '/v1/chat/completions',
  '/v1/completions': '/v1/chat/completions',
  '/v1/files': '/v1/storage/objects',
  '/v1/audio/translations': '/v1/audio/transcriptions',
  '/v1/images/edits': '/v1/images/generations',
  '/_emulator/webhooks': '/_emulator/endpoints',
  '/_emulator/ledger': '/_emulator/accounts/:id/usage',
  '/_emulator/charges': '/_emulator/accounts/:id/usage',
  '/_emulator/journal': '/_emulator/requests',
  '/_emulator/logs': '/_emulator/requests',
  '/_emulator/time': '/_emulator/clock',
  '/_emulator/mocks': '/_emulator/fixtures',
};

export function formatPathTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function nearestPath(asked: string, known: readonly string[]): string | undefined {
  if (Object.hasOwn(PATH_ALIASES, asked)) return PATH_ALIASES[asked];
  const close = closestName(asked, known);
  if (close !== undefined) return close;
  const [below] = known.filter((path) => path.startsWith(`${asked}/`)).toSorted((a, b) => a.length - b.length);
  if (below !== undefined) return below;
  const above = asked.slice(0, asked.lastIndexOf('/'));
  return above.lastIndexOf('/') > 0 ? nearestPath(above, known) : undefined;
}

export function unknownPathError(pathname: string, known: readonly string[]): EmulatorError {
  const message = `There is no ${pathname.slice(0, 120)}.${hint(pathname, known)}`;
  return new EmulatorError('not_found', message, { choice: 'C025' });
}

/** True if the path, with each doubled slash made one, is under /v1 or only lacks /v1. */
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
  if (pathname.startsWith('/v1/')) return nearestHint(pathname, service, '/openapi.json');
  const prefixed = prefixedPath(pathname, known);
  if (prefixed)
    return ` The path lacks its prefix: use ${formatPathTemplate(prefixed)} (a client's base URL ends in /v1).`;
  if (pathname.startsWith('/_emulator/')) return nearestHint(pathname, known, '/_emulator/openapi.json');
  return ' The service is under /v1, control operations under /_emulator.';
}

function nearestHint(pathname: string, known: readonly string[], list: string): string {
  const nearest = nearestPath(pathname.slice(0, 200), known);
  return nearest === undefined ? ` GET ${list} lists the paths.` : ` Did you mean ${formatPathTemplate(nearest)}?`;
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
