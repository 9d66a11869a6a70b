import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** What a server tells of itself since it was last asked. */
export interface Seen {
  /** The longest that its event loop was held. */
  milliseconds: number;
  /** The most processor time that its thread took between two turns, in milliseconds; only Linux reports it. */
  processor: number;
  /** Resident memory, MiB: now, and the most since it was last asked. */
  rss: number;
  peak: number;
}

/** The built emulator in a process of its own, which tells how long its event loop was held. */
export interface WatchedServer {
  url: string;
  seen(): Promise<Seen>;
  close(): Promise<void>;
}

/** Resolves when it is ready. */
export async function watchedServer(dataFolder: string, ...flags: string[]): Promise<WatchedServer> {
  const start = ['dist/main.js', 'start', '--port', '0', '--data-dir', dataFolder, '--log', 'silent'];
  const server = spawn(process.execPath, ['--import', './test/bench/loop-watch.mjs', ...start, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [line] = await once(createInterface(server.stdout as NodeJS.ReadableStream), 'line');
  const [url = ''] = /http:\/\/\S+/.exec(String(line)) ?? [];
  return {
    url,
    async seen() {
      const answer = once(server, 'message');
      server.send('read');
      return (await answer)[0] as Seen;
    },
    async close() {
      // Else the process lives as long as there is somebody to tell.
      server.disconnect();
      server.kill('SIGTERM');
      if (server.exitCode === null) await once(server, 'exit');
    },
  };
}
