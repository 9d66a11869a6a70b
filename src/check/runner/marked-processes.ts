import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * Kills what runs in an environment that has this setting, such as `SVC_CHECK_DIR=/tmp/svc-check-1`: what has left
 * its process group is known by that alone. Returns the names of those that it ended, none where the system does not say.
 */
export function endMarked(setting: string): string[] {
  const pids = existsSync('/proc') ? readdirSync('/proc').map(Number) : [];
  return pids.flatMap((pid) => (pid > 0 && pid !== process.pid ? (endedName(pid, setting) ?? []) : []));
}

function endedName(pid: number, setting: string): string | undefined {
  try {
    const env = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    if (!env.includes(`\0${setting}`)) return undefined;
    const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    process.kill(pid, 'SIGKILL');
    return name;
  } catch {
    // It has ended, or is another person's.
    return undefined;
  }
}
