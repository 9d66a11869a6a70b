import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Load {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Headers of the requests, used in turn. */
  requests?: { headers: Record<string, string> }[];
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

/** Imported by its path in the project: the bench is bundled, but the installer depends on its own location. */
const installer = path.resolve('test/tools/installed-tools.mjs');
const { requireTool, toolModules }: typeof import('../tools/installed-tools.mjs') = await import(installer);

/** The timeout is in seconds. It is long because renders of pictures queue. */
const POST = { method: 'POST', timeout: 120 };

const autocannon = await requireTool<(load: Load & typeof POST) => Promise<LoadResult>>('autocannon', 'long');

/** Sends POSTs over all connections as fast as responses come. Throws unless all are 2xx. */
export async function flood(load: Load): Promise<LoadResult> {
  const result = await autocannon({ ...POST, ...load });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were not 2xx at ${load.url}`);
  return result;
}

/** The folder of the packages of the gate. Installs them first if they are missing. */
export const gateModules = () => toolModules('gate');

/** Reads the file itself, because not every package exports its package.json. */
export async function toolVersion(name: string): Promise<string> {
  const file = path.join(await toolModules('long'), name, 'package.json');
  return JSON.parse(readFileSync(file, 'utf8')).version;
}
