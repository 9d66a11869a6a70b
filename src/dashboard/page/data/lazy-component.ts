import { type ComponentType, useEffect } from 'react';
import { PageStore, setTimer, useStore } from './browser.ts';

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

export class LazyComponentStore<Props = object> extends PageStore<ComponentType<Props> | undefined> {
  readonly #load: Load<Props>;
  #loaded: Promise<void> | undefined;

  constructor(load: Load<Props>) {
    super(undefined);
    this.#load = load;
  }

  load(): Promise<void> {
    this.#loaded ??= this.#load().then(
      ({ default: component }) => this.set(component),
      (error: unknown) => reloadPage(error),
    );
    return this.#loaded;
  }
}

export function useLazyComponent<Props>(part: LazyComponentStore<Props>): ComponentType<Props> | undefined {
  useEffect(() => void part.load(), [part]);
  return useStore(part);
}

export const lazyLoadError = new PageStore<unknown>(undefined);

const RETRY_AFTER = 1000;

/**
 * Reloads the page after a failed import, which the browser would remember. First waits until the emulator responds. A page
 * that was just reloaded, and did not have to wait, shows the error instead.
 */
async function reloadPage(error: unknown, isRetry = false): Promise<void> {
  const isUp = await fetch(window.location.pathname, { method: 'HEAD' }).then(
    () => true,
    () => false,
  );
  const [{ type } = { type: '' }] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (!isUp) setTimer(RETRY_AFTER, () => void reloadPage(error, true));
  else if (isRetry || type !== 'reload') window.location.reload();
  else lazyLoadError.set(error);
}
