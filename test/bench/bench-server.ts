import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { benchFolder } from './bench-folder.ts';
import { treeMemory } from './process-memory.ts';

/** A server in a process of its own. */
export interface BenchServer {
  urls: string[];
  child: ChildProcess;
  /** Resident memory, in MiB, of the process and all that it has started. */
  memory(): number;
  close(): Promise<void>;
}

/** The built emulator on a durable folder of its own. */
export async function ourServer(...flags: string[]): Promise<BenchServer> {
  const folder = benchFolder();
  const data = path.join(folder, 'data');
  const argv = ['dist/main.js', 'start', '--port', '0', '--data-dir', data, '--log', 'silent', ...flags];
  const server = await serve(argv, {});
  return {
    ...server,
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A stock Express that answers these bytes, and streams these events. */
export function bareServer(answer: Buffer, events: readonly string[]): Promise<BenchServer> {
  return serve(['test/bench/bare-express.mjs'], {
    ANSWER: answer.toString('base64'),
    EVENTS: Buffer.from(JSON.stringify(events)).toString('base64'),
    NODE_ENV: 'production',
  });
}

/** The nearest other emulator, answering this text. */
export function aimockServer(content: string): Promise<BenchServer> {
  return serve(['test/bench/aimock-server.mjs'], { CONTENT: Buffer.from(content).toString('base64') });
}

async function serve(argv: string[], env: NodeJS.ProcessEnv): Promise<BenchServer> {
  const child = spawn(process.execPath, argv, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return {
    urls: String(line).match(/http:\/\/\S+/g) ?? [],
    child,
    memory: () => treeMemory(child.pid ?? 0),
    async close() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
