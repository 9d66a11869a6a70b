import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of a process and all that it has started, in MiB, but for what a process that is left out has started. */
export function treeMemory(root: number, isLeftOut: (id: string) => boolean = () => false): number {
  const parents = new Map(processes().map((id) => [id, statusOf(id, 'PPid')]));
  const isOfTree = (id: string | undefined): boolean =>
    id !== undefined && !isLeftOut(id) && (id === `${root}` || isOfTree(parents.get(id)));
  return [...parents.keys()].filter(isOfTree).reduce((sum, id) => sum + kilobytes(id, 'VmRSS') / 1024, 0);
}

function processes(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

/** A figure of the status of a process. */
export function kilobytes(id: string | number, name: string): number {
  return Number.parseInt(statusOf(id, name), 10) || 0;
}

/** A line of the status of a process, which may end before it is read. */
export function statusOf(id: string | number, name: string): string {
  try {
    const status = readFileSync(`/proc/${id}/status`, 'utf8');
    return new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? '';
  } catch {
    return '';
  }
}
