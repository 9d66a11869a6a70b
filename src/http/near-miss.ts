import { editDistance } from '../edit-distance.ts';
import { EmulatorError } from '../errors.ts';

/** The 404 of a path that is none: under /v1 it names the nearest one there is, elsewhere that /v1 is missing. */
export function unknownPath(pathname: string, known: readonly string[]): EmulatorError {
  return new EmulatorError('not_found', `There is no ${pathname.slice(0, 120)}.${hint(pathname, known)}`);
}

function hint(pathname: string, known: readonly string[]): string {
  const service = known.filter((path) => path.startsWith('/v1/'));
  if (pathname.startsWith('/v1/')) return ` Did you mean ${nearest(pathname, service)}?`;
  const prefixed = service.find((path) => sameShape(path, `/v1${pathname}`));
  if (prefixed) return ` The path lacks its prefix: use ${prefixed} (a client's base URL ends in /v1).`;
  if (pathname.startsWith('/_emulator/')) return ` Did you mean ${nearest(pathname, known)}?`;
  return ' The service is under /v1, the control surface under /_emulator.';
}

function sameShape(pattern: string, pathname: string): boolean {
  const wanted = pattern.split('/');
  const met = pathname.split('/');
  return wanted.length === met.length && wanted.every((part, at) => part.startsWith(':') || part === met[at]);
}

/** What people mean by paths of other services. */
const MEANT: Record<string, string> = {
  '/v1/responses': '/v1/chat/completions',
  '/v1/completions': '/v1/chat/completions',
  '/v1/embeddings': '/v1/models',
  '/v1/files': '/v1/storage/objects',
  '/v1/audio/translations': '/v1/audio/transcriptions',
  '/v1/images/edits': '/v1/images/generations',
  '/v1/videos': '/v1/videos/generations',
};

function nearest(pathname: string, known: readonly string[]): string {
  const meant = MEANT[pathname];
  if (meant) return meant;
  const ranked = known.map((path) => ({
    path,
    distance: editDistance(path, pathname.slice(0, 200)),
  }));
  return ranked.reduce((best, each) => (each.distance < best.distance ? each : best)).path;
}
