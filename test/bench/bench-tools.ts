import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Load {
  url: string;
  method: 'POST';
  headers: Record<string, string>;
  body: string;
  connections: number;
  duration?: number;
  amount?: number;
}

interface LoadResult {
  requests: { average: number };
  latency: { p99: number };
  non2xx: number;
  errors: number;
}

/** By its place in the project: the bench is bundled, and the installer knows where it is. */
const installer = path.resolve('test/tools/installed-tools.mjs');
const { requireTool, toolModules }: typeof import('../tools/installed-tools.mjs') = await import(installer);

export const autocannon = await requireTool<(load: Load) => Promise<LoadResult>>('autocannon', 'long');

/** The folder of the packages of the gate. Installs them first if they are missing. */
export const gateModules = () => toolModules('gate');

/** The version that is installed, which is pinned. Not every package exports its package.json. */
export async function toolVersion(name: string): Promise<string> {
  const file = path.join(await toolModules('long'), name, 'package.json');
  return JSON.parse(readFileSync(file, 'utf8')).version;
}
