import { useMediaQuery } from '@base-ui/react/unstable-use-media-query';
import { useEffectEvent, useLayoutEffect, useSyncExternalStore } from 'react';

export function browserNow(): number {
  return Date.now();
}

export type StopTimer = () => void;

export function setRepeatingTimer(milliseconds: number, task: () => void): StopTimer {
  const timer = window.setInterval(task, milliseconds);
  return () => window.clearInterval(timer);
}

export function setTimer(milliseconds: number, task: () => void): StopTimer {
  const timer = window.setTimeout(task, milliseconds);
  return () => window.clearTimeout(timer);
}

export class PageStore<T> {
  readonly #listeners = new Set<() => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export function useStore<T>(store: PageStore<T>): T {
  return useSyncExternalStore(store.subscribe, () => store.value);
}

export function createPersistedStore(name: string, fallback: string): PageStore<string> {
  const key = `svc-emulator.${name}`;
  const store = new PageStore(withStorage((storage) => storage.getItem(key)) ?? fallback);
  store.subscribe(() => withStorage((storage) => storage.setItem(key, store.value)));
  return store;
}

/** Undefined if the browser forbids storage or the storage is full. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(window.localStorage);
  } catch {
    return undefined;
  }
}

/** `early-theme.js` applies it at the start of the page. */
export const themePreference = createPersistedStore('theme', 'system');

themePreference.subscribe(() => {
  document.documentElement.dataset.theme = themePreference.value;
});

export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 720px)', {});
}

export function useGlobalKeyDown(press: (event: KeyboardEvent) => void): void {
  const onKeyDown = useEffectEvent(press);
  useLayoutEffect(() => {
    const hear = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener('keydown', hear);
    return () => window.removeEventListener('keydown', hear);
  }, []);
}

export function useEscape(leave: () => void): void {
  useGlobalKeyDown((event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) leave();
  });
}

export function hasModifierKey({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}

export function isInFormControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}
