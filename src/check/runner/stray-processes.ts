import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { findProcesses, type LeftoverProcess, readProcessStat } from './leftover-processes.ts';

/**
 * Two bits of `/proc/PID/coredump_filter` that hardly any system uses. A new process inherits them, and keeps them in a
 * session of its own, with another parent and with an empty environment.
 */
const BITS = 0x180;
const MARK = 0x100;

/**
 * Marks the started process and its descendants, so that `findStrayProcesses` finds them. Only Linux has such a mark.
 */
export function startWithMarkedDescendants<T>(start: () => T): T {
  const before = filterOf('self');
  if (before === undefined) return start();
  write((before & ~BITS) | MARK);
  try {
    return start();
  } finally {
    write(before);
  }
}

/**
 * Finds processes that a command started and that have lost their parent. They may belong to another svc-emulator that
 * runs at the same time, so they are not ended.
 */
export function findStrayProcesses(): LeftoverProcess[] {
  const adopters = ancestors();
  return findProcesses((pid) => {
    if (((filterOf(pid) ?? 0) & BITS) !== MARK) return false;
    const { parent, start } = readProcessStat(pid);
    return start >= readProcessStat(process.pid).start && adopters.has(parent) && worksHere(pid);
  });
}

function worksHere(pid: number): boolean {
  const folder = readlinkSync(`/proc/${pid}/cwd`);
  return folder === '/' || `${folder}/`.startsWith(`${process.cwd()}/`);
}

function ancestors(): Set<number> {
  const found = new Set<number>([1]);
  try {
    for (let { parent } = readProcessStat(process.pid); parent > 1; { parent } = readProcessStat(parent))
      found.add(parent);
  } catch {
    // The system does not show other processes.
  }
  return found;
}

function filterOf(pid: number | 'self'): number | undefined {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/coredump_filter`, 'latin1'), 16);
  } catch {
    return undefined;
  }
}

function write(filter: number): void {
  try {
    writeFileSync('/proc/self/coredump_filter', `0x${filter.toString(16)}`);
  } catch {
    // Without the mark, processes are found only by their group and environment.
  }
}
