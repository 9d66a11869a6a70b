import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { maskedText } from '../../control/mask/masked-text.ts';

/** The variable by which a process is known that has left the group of the command. */
export const PROCESS_MARK = 'SVC_PROCESS_MARK';
/** How long the end of the output may take after the end of the command, in milliseconds. */
export const DRAIN_MS = 500;

export interface LeftProcess {
  pid: number;
  command: string;
}

/** Characters of a command line, and processes that are named. */
const [LONGEST, MOST] = [80, 5];

export function killGroup(pid: number, signal: 'SIGKILL' | 0 = 'SIGKILL'): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** The same; what was still running in it. */
export function endGroup(pid: number): LeftProcess[] {
  if (!killGroup(pid, 0)) return [];
  const left = processesWhere((each) => groupOf(each) === pid);
  killGroup(pid);
  // Without /proc it is known only that there was something.
  return existsSync('/proc/self') ? left : [{ pid, command: 'a process of its group' }];
}

/**
 * What runs in an environment that has this setting, such as `SVC_CHECK_DIR=/tmp/svc-check-1`: what has left its process
 * group is known by that alone. Nothing where the system does not say.
 */
export function markedProcesses(setting: string): LeftProcess[] {
  return processesWhere((pid) => `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${setting}`));
}

export function endMarked(setting: string): LeftProcess[] {
  return markedProcesses(setting).filter(({ pid }) => {
    try {
      return process.kill(pid, 'SIGKILL');
    } catch {
      return false;
    }
  });
}

export function leftText(left: readonly LeftProcess[]): string {
  const named = left.slice(0, MOST).map(({ pid, command }) => `${pid} (${command})`);
  return [...named, ...(left.length > MOST ? [`and ${left.length - MOST} more`] : [])].join(', ');
}

function processesWhere(isMeant: (pid: number) => boolean): LeftProcess[] {
  const pids = existsSync('/proc') ? readdirSync('/proc').map(Number) : [];
  return pids.flatMap((pid) => {
    try {
      if (!(pid > 0) || pid === process.pid || !isMeant(pid)) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      // A process that ended and that no one waited for has no command line.
      return command === '' ? [] : [{ pid, command: maskedText(command).slice(0, LONGEST) }];
    } catch {
      return [];
    }
  });
}

/** Behind the name in brackets, which may hold anything: state, parent, group. */
function groupOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}
