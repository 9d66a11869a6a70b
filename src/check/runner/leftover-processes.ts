import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { maskText } from '../../control/mask/mask.ts';

/**
 * A variable in the environment of each command. It identifies processes that have left the process group of the command.
 */
export const PROCESS_MARK_VARIABLE = 'SVC_PROCESS_MARK';
export const OUTPUT_DRAIN_MS = 500;

export interface LeftoverProcess {
  pid: number;
  command: string;
}

const [MAX_LENGTH, MAX] = [80, 5];

export function signalProcessGroup(pid: number, signal: 'SIGKILL' | 0 = 'SIGKILL'): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

export function killLeftoverProcessGroup(pid: number): LeftoverProcess[] {
  if (!signalProcessGroup(pid, 0)) return [];
  const left = findProcesses((each) => readProcessStat(each).group === pid);
  signalProcessGroup(pid);
  return existsSync('/proc/self') ? left : [{ pid, command: 'a process of its group' }];
}

/**
 * Finds processes by `setting`, the beginning of a variable, such as `SVC_CHECK_DIR=/tmp/svc-check-1`. Finds none if
 * the system does not show environments.
 */
export function findProcessesByVariable(setting: string): LeftoverProcess[] {
  return findProcesses((pid) => `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${setting}`));
}

export function killProcessesByVariable(setting: string): LeftoverProcess[] {
  return findProcessesByVariable(setting).filter(({ pid }) => {
    try {
      return process.kill(pid, 'SIGKILL');
    } catch {
      return false;
    }
  });
}

export function describeLeftoverProcesses(left: readonly LeftoverProcess[]): string {
  const named = left.slice(0, MAX).map(({ pid, command }) => `${pid} (${command})`);
  return [...named, ...(left.length > MAX ? [`and ${left.length - MAX} more`] : [])].join(', ');
}

export function findProcesses(isMeant: (pid: number) => boolean): LeftoverProcess[] {
  const pids = existsSync('/proc') ? readdirSync('/proc').map(Number) : [];
  return pids.flatMap((pid) => {
    try {
      if (!(pid > 0) || pid === process.pid || !isMeant(pid)) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      // Leaves out zombies, which have no command line.
      return command === '' ? [] : [{ pid, command: maskText(command).slice(0, MAX_LENGTH) }];
    } catch {
      return [];
    }
  });
}

/** `start` is in ticks since the system started. Throws if the process is gone. */
export function readProcessStat(pid: number): { parent: number; group: number; start: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // Reads after the last bracket, because the name in brackets may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), group: Number(fields[2]), start: Number(fields[19]) };
}
