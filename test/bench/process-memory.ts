import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of a process and all that it has started, in MiB. */
export function treeMemory(root: number): number {
  const parents = new Map(processes().map((id) => [id, parentOf(id)]));
  const isOfTree = (id: string | undefined): boolean =>
    id !== undefined && (id === `${root}` || isOfTree(parents.get(id)));
  return [...parents.keys()].filter(isOfTree).reduce((sum, id) => sum + memoryOf(id), 0);
}

/** The same of this process at its highest while `act` runs, above what it was before. */
export async function memoryAboveIdle(act: () => Promise<unknown>): Promise<number> {
  const idle = treeMemory(process.pid);
  let peak = idle;
  const timer = setInterval(() => {
    peak = Math.max(peak, treeMemory(process.pid));
  }, 5);
  try {
    await act();
  } finally {
    clearInterval(timer);
  }
  return peak - idle;
}

function processes(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

/** A process may end between being listed and being read. */
function read(id: string, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function parentOf(id: string): string | undefined {
  return /PPid:\s+(\d+)/.exec(read(id, 'status'))?.[1];
}

function memoryOf(id: string): number {
  return Number(/VmRSS:\s+(\d+)/.exec(read(id, 'status'))?.[1] ?? 0) / 1024;
}
