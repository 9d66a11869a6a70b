import type { ComponentType, ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { recordSource } from '../data/call-api.ts';
import { type Area, at } from '../data/paths.ts';
import { Choices } from './choices.tsx';
import { type DrawerOf, Split } from './drawer.tsx';
import { PageHead } from './page-parts.tsx';
import type { Opening } from './record-list.tsx';
import { useFilter, useOpened } from './use-address.ts';

/** One list of an area, and the drawer of what is opened from it. */
export interface AreaTab {
  name: string;
  text: string;
  Contents: ComponentType<Opening>;
  Drawer?: ComponentType<DrawerOf>;
  /** How the ids begin that are opened here. */
  ids?: readonly string[];
  /** The record of a run knows nothing of it. */
  isOfService?: boolean;
}

interface TabbedAreaProps {
  area: Area;
  title: string;
  tabs: readonly [AreaTab, ...AreaTab[]];
  /** By this word the address names the tab. */
  word?: string;
  /** Beside the tabs. */
  tools?: (tab: string, opening: Opening) => ReactNode;
}

/** An area of several lists: which one is shown, and what is open beside it, by the address. */
export function TabbedArea({ area, title, tabs: all, word = 'tab', tools }: TabbedAreaProps) {
  const tabs = all.filter(({ isOfService }) => !(isOfService && recordSource.value));
  const { id, open } = useOpened(area);
  const [chosen] = useFilter(word, all[0].name);
  const [, navigate] = useLocation();
  const search = useSearch();
  const own = id === undefined ? undefined : all.find(({ ids }) => ids?.some((prefix) => id.startsWith(prefix)));
  const tab = own ?? all.find(({ name }) => name === chosen) ?? all[0];
  const { name, Contents, Drawer } = tab;
  const go = (query: Record<string, string>) => navigate(`${at[area]()}?${new URLSearchParams(query)}`);
  const close = () => go({ ...Object.fromEntries(new URLSearchParams(search)), [word]: name });
  const opening = { opened: id, onOpen: open };
  return (
    <Split drawer={id && Drawer && <Drawer key={id} id={id} onClose={close} onOpen={open} />}>
      <PageHead title={title}>
        {tabs.length > 1 && (
          <Choices
            label="Show"
            value={name}
            options={tabs.map((each) => [each.name, each.text])}
            onChange={(to) => go({ [word]: to })}
          />
        )}
        <span className="grow" />
        {tools?.(name, opening)}
      </PageHead>
      <Contents {...opening} />
    </Split>
  );
}
