import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { at } from '../data/paths.ts';
import { readSecondRun } from './read-second-run.ts';

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
