import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of a process and all that it has started, in MiB. */
export function treeMemory(root: number): number {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(processes.map((id) => [id, statusOf(id, 'PPid')]));
  const isOfTree = (id: string | undefined): boolean =>
    id !== undefined && (id === `${root}` || isOfTree(parents.get(id)));
  return processes
    .filter(isOfTree)
    .reduce((sum, id) => sum + (Number.parseInt(statusOf(id, 'VmRSS'), 10) || 0) / 1024, 0);
}

/** A line of the status of a process, which may end before it is read. */
function statusOf(id: string, name: string): string {
  try {
    const status = readFileSync(`/proc/${id}/status`, 'utf8');
    return new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? '';
  } catch {
    return '';
  }
}
