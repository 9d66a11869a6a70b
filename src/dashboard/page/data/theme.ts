import { KeptStore } from './page-store.ts';

/** `system`, `light` or `dark`. */
export const theme = new KeptStore('theme', 'system');

/** Has the page follow it, from before anything is drawn. */
export function followTheme(): void {
  const apply = () => {
    document.documentElement.dataset.theme = theme.value;
  };
  apply();
  theme.subscribe(apply);
}
