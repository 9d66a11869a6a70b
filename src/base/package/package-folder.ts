import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export function packageFolder(): string {
  return nearest(path.dirname(fileURLToPath(import.meta.url)));
}

export function packageDataFolder(): string {
  return path.join(packageFolder(), 'fixtures');
}

function nearest(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error('svc-emulator is in no package: its package.json is missing.');
  return nearest(parent);
}

export const VERSION: string = JSON.parse(readFileSync(path.join(packageFolder(), 'package.json'), 'utf8')).version;

const OLDEST_NODE = [20, 19] as const;

export function nodeVersionProblem(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return isOld ? `Node v${version} is too old: install Node ${OLDEST_NODE.join('.')} or later.` : undefined;
}

export function requireSupportedRuntime(): void {
  const fault = otherRuntime() ?? nodeVersionProblem();
  if (fault) throw new Error(fault);
}

function otherRuntime(): string | undefined {
  const name = ['bun', 'deno'].find((each) => each in process.versions);
  if (name === undefined) return undefined;
  return `The emulator runs in Node, not in ${name === 'bun' ? 'Bun' : 'Deno'}. Start it with Node around your tests: npx svc-emulator exec -- ${name} test.`;
}
