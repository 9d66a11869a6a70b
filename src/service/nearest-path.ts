import { closestName } from '../base/text.ts';

/** Paths that callers know from other services or by another name, and those that they mean. */
const MEANT: Readonly<Record<string, string>> = {
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

/** A path as messages and documents show it. */
export function pathWithBraces(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** Finds a path of the same words or below it, or else for the path above. Undefined if nothing is close. */
export function nearestPath(asked: string, known: readonly string[]): string | undefined {
  if (Object.hasOwn(MEANT, asked)) return MEANT[asked];
  const close = closestName(asked, known);
  if (close !== undefined) return close;
  const [below] = known.filter((path) => path.startsWith(`${asked}/`)).toSorted((a, b) => a.length - b.length);
  if (below !== undefined) return below;
  const above = asked.slice(0, asked.lastIndexOf('/'));
  return above.lastIndexOf('/') > 0 ? nearestPath(above, known) : undefined;
}
