import { rmSync } from 'node:fs';
import { Command } from 'commander';
import { ConfigError, readConfig } from '../config/config.ts';
import { openDataFolder } from '../storage/data-folder.ts';
import { crashHook } from './crash.ts';
import { runEmulator } from './run-emulator.ts';
import { limitStop, STOP_SIGNALS } from './stop-signals.ts';
import type { StartOrder } from './supervise.ts';

/** `svc-emulator supervised`: what `start --supervise` starts. It takes its orders over its IPC channel. */
export function supervisedCommand(): Command {
  return new Command('supervised').description('the process that start --supervise starts').action(async () => {
    if (!process.send) {
      throw new ConfigError('The command supervised is not for you; use start --supervise.');
    }
    try {
      await obey();
    } finally {
      // An open channel would keep the process alive.
      if (process.connected) process.disconnect();
    }
  });
}

async function obey(): Promise<void> {
  const { started, stopped } = orders();
  const { flags, folder } = await started;
  // That of an ephemeral emulator outlives this process.
  const kept = folder === undefined ? undefined : openDataFolder({ dataDir: folder, ephemeral: false });
  await runEmulator(readConfig(flags), stopped, { crashHook, folder: kept }, (ready) => process.send?.(ready, deaf));
  // Otherwise the supervisor, which made it, removes it.
  if (folder && !process.connected) rmSync(folder, { recursive: true, force: true });
}

/** The end of the channel shows that the supervisor is gone. */
function deaf(): void {}

/**
 * The supervisor counts the signals, so a stop is asked for once however many arrive: a terminal's interrupt
 * reaches both processes. Without a supervisor there is nothing left to run for.
 */
function orders(): { started: Promise<StartOrder>; stopped: Promise<void> } {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  void stopped.then(limitStop);
  for (const name of STOP_SIGNALS) process.on(name, stop);
  const started = new Promise<StartOrder>((resolve, reject) => {
    process.on('message', (order: StartOrder | 'stop') => (order === 'stop' ? stop() : resolve(order)));
    process.once('disconnect', () => {
      stop();
      reject(new Error('The supervisor ended before it said what to start.'));
    });
  });
  return { started, stopped };
}
