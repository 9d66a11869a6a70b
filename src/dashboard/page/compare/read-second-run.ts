import { readRecord } from '../data/read-record.ts';
import { secondRun } from '../data/second-run.ts';
import { sayError } from '../pieces/toast.tsx';

/** Reads the trace in a file, and lays it beside the run of this page; says so where it is none. */
export async function readSecondRun(file: File): Promise<boolean> {
  try {
    // Parsed only: nothing of another file's page is run.
    const page = new DOMParser().parseFromString(await file.text(), 'text/html');
    secondRun.set({ trace: await readRecord(page), file: file.name });
    return true;
  } catch (error) {
    sayError(error);
    return false;
  }
}
