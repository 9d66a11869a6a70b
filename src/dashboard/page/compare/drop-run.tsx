import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { at } from '../data/paths.ts';
import { readRecord, secondRun } from '../data/read-record.ts';
import { sayError } from '../pieces/toast.tsx';

/** A trace that is dropped anywhere on the page is laid beside this one. */
export function DropRun() {
  const [, navigate] = useLocation();
  useEffect(() => {
    const allow = (event: DragEvent) => event.preventDefault();
    const take = async (event: DragEvent) => {
      event.preventDefault();
      const [file] = event.dataTransfer?.files ?? [];
      if (file && (await readSecondRun(file))) navigate(at.compare());
    };
    const drop = (event: DragEvent) => void take(event);
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', drop);
    };
  }, [navigate]);
  return null;
}

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
