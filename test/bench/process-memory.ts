import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of a process and its descendants, in MiB. */
export function treeMemory(root: number): number {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(processes.map((id) => [id, statusOf(id, 'PPid')]));
  const isOfTree = (id: string | undefined): boolean =>
    id !== undefined && (id === `${root}` || isOfTree(parents.get(id)));
  return processes
    .filter(isOfTree)
    .reduce((sum, id) => sum + (Number.parseInt(statusOf(id, 'VmRSS'), 10) || 0) / 1024, 0);
}

/** A field of the process's status file, or an empty text if the process has ended. */
function statusOf(id: string, name: string): string {
  try {
    const status = readFileSync(`/proc/${id}/status`, 'utf8');
    return new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? '';
  } catch {
    return '';
  }
}
