import { spawn } from 'node:child_process';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

/** Runs our own tests under lies, by a Vitest of their own, as `npm run lies:own` does. */
export async function ownLies(args: readonly string[]): Promise<{ code: number | null; printed: string }> {
  const outer = Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_V8/.test(name));
  const line = [path.join(ROOT, 'scripts/own-lies.mjs'), ...args];
  const child = spawn(process.execPath, line, { cwd: ROOT, env: Object.fromEntries(outer) });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, printed };
}
