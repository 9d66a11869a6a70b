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
export const { requireTool }: typeof import('../tools/installed-tools.mjs') = await import(installer);

export const autocannon = await requireTool<(load: Load) => Promise<LoadResult>>('autocannon', 'long');
