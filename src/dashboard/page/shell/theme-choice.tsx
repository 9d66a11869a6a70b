import { Monitor, Moon, Sun } from 'lucide-react';
import { useStore } from '../data/page-store.ts';
import { theme } from '../data/theme.ts';
import { Button } from '../pieces/button.tsx';

const NEXT: Record<string, string> = { system: 'light', light: 'dark', dark: 'system' };
const ICONS: Record<string, typeof Sun> = { system: Monitor, light: Sun, dark: Moon };

/** Light, dark, or as the system has it. */
export function ThemeChoice() {
  const chosen = useStore(theme);
  const Icon = ICONS[chosen] ?? Monitor;
  return (
    <Button
      look="quiet"
      icon={<Icon aria-hidden />}
      aria-label={`Theme: ${chosen}. Change to ${NEXT[chosen]}`}
      onClick={() => theme.set(NEXT[chosen] ?? 'system')}
    />
  );
}
