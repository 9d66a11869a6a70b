import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of this process and its children at its highest while `act` runs, in MiB above what it was before. */
export async function memoryAboveIdle(act: () => Promise<unknown>): Promise<number> {
  const idle = resident();
  let peak = idle;
  const timer = setInterval(() => {
    peak = Math.max(peak, resident());
  }, 5);
  try {
    await act();
  } finally {
    clearInterval(timer);
  }
  return peak - idle;
}

function resident(): number {
  const own = `${process.pid}`;
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === own);
  return [own, ...children].reduce((sum, id) => sum + memoryOf(id), 0);
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
