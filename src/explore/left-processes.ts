import { readdirSync, readFileSync } from 'node:fs';

/**
 * Kills what runs in an environment that has this setting, such as `SVC_EXPLORE_DIR=/tmp/svc-explore-1`: what has left
 * its process group is known by that alone. Answers how many there were; 0 where the system does not tell.
 */
export function endLeft(setting: string): number {
  const left = pids().filter((pid) => pid !== process.pid && hasSetting(pid, setting));
  return left.filter(isKilled).length;
}

function pids(): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0);
  } catch {
    return [];
  }
}

function hasSetting(pid: number, setting: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${setting}`);
  } catch {
    // It has ended, or is another person's.
    return false;
  }
}

function isKilled(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
