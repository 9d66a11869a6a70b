import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

interface TabAreaProps {
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
}

/** Around the names of tabs and what they show. */
export function TabArea({ value, onChange, children }: TabAreaProps) {
  return (
    <Tabs.Root className="tab-area" value={value} onValueChange={(chosen) => onChange(String(chosen))}>
      {children}
    </Tabs.Root>
  );
}

interface TabNamesProps {
  label: string;
  /** Value and text of each. */
  tabs: readonly (readonly [string, string])[];
}

export function TabNames({ label, tabs }: TabNamesProps) {
  return (
    <Tabs.List className="tab-names" aria-label={label}>
      {tabs.map(([value, text]) => (
        <Tabs.Tab key={value} className="tab-name soft bare" value={value}>
          {text}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
}

export function TabPanel({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Tabs.Panel className="tab-panel column fill" value={value} tabIndex={-1}>
      {children}
    </Tabs.Panel>
  );
}
