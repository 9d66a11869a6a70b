import { readFileSync } from 'node:fs';
import { readProcessStat } from '../check/runner/leftover-processes.ts';

const LOOK_MS = 500;
const STARTS_THIS = /(?:^|[\s;&|("'/])(?:svc-emulator|dist\/main\.js)(?=["'\s]|$)/;
/** Matches an npm script that leaves a command in the background, which is meant to outlive npm. */
const BACKGROUND = /(?<![&>])&(?![&>])/;
const SHELL = /^(?:ba|da|z)?sh$/;

/**
 * Ends this process when the npm that started it has gone. npm passes a signal on to its shell only, so that
 * `npx svc-emulator start & kill $!` would leave the emulator running.
 */
export function exitWhenNpmExits(env: NodeJS.ProcessEnv = process.env): void {
  const script = env.npm_lifecycle_script ?? '';
  if (!STARTS_THIS.test(script) || BACKGROUND.test(script)) return;
  const before = npmProcesses();
  const timer = setInterval(() => {
    if (npmProcesses() === before) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS).unref();
}

function npmProcesses(): string {
  const { ppid } = process;
  try {
    const isShell = SHELL.test(readFileSync(`/proc/${ppid}/comm`, 'utf8').trim());
    return isShell ? `${ppid} ${readProcessStat(ppid).parent}` : `${ppid}`;
  } catch {
    return `${ppid}`;
  }
}
