import { useSyncExternalStore } from 'react';

/** A value outside React. Components that use it render again when it changes. */
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

/** A text in the browser's local storage; without storage it lasts as long as the page. */
export class PersistedStore extends PageStore<string> {
  readonly #name: string;

  constructor(name: string, fallback: string) {
    super(read(`svc-emulator.${name}`) ?? fallback);
    this.#name = `svc-emulator.${name}`;
  }

  override set(value: string): void {
    super.set(value);
    try {
      localStorage.setItem(this.#name, value);
    } catch {
      // A browser may forbid storage.
    }
  }
}

function read(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** `system`, `light` or `dark`. */
export const theme = new PersistedStore('theme', 'system');

/** Applies the theme, before anything is rendered. */
export function followTheme(): void {
  const apply = () => {
    document.documentElement.dataset.theme = theme.value;
  };
  apply();
  theme.subscribe(apply);
}
