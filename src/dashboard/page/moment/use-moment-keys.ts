import { useEffect } from 'react';
import { momentStore } from '../data/moment.ts';

/** The run by keys, from everywhere: arrows step by event, Space plays, Home and End are its ends, F goes to the failure. */
const KEYS: Record<string, () => void> = {
  ArrowLeft: () => momentStore.step(-1),
  ArrowRight: () => momentStore.step(1),
  ' ': () => momentStore.play(),
  Home: () => momentStore.to(momentStore.value?.span.began ?? 0),
  End: () => momentStore.to(momentStore.value?.span.ended ?? 0),
  f: () => momentStore.toFailure(),
};

export function useMomentKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = KEYS[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || isTaken(event)) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('keydown', press);
      momentStore.pause();
    };
  }, []);
}

/** A key belongs to what is written in, and Space to a button; the slider goes by event like everything else. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === 'range') return target.closest('.rail') === null;
  if (target.closest('input, textarea, select, [role="dialog"], audio, video')) return true;
  if (key === ' ') return target.closest('button, a, summary') !== null;
  return (key === 'Home' || key === 'End') && target.closest('.list, .steps, .output') !== null;
}
