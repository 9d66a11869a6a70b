import { X } from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { recordSource } from '../data/call-api.ts';
import { type Area, at } from '../data/paths.ts';
import { useEscape, useFilter, useOpened } from './browser-hooks.ts';
import { Button } from './button.tsx';
import { Choices, ErrorNotice, Facts, Notice, PageHead, Section } from './page-parts.tsx';
import type { OpenRow } from './record-list.tsx';

/** A list, and beside it the drawer of the row that is open. */
export function Split({ children, drawer }: { children: ReactNode; drawer: ReactNode }) {
  return (
    <div className="row stretch fill">
      <div className="column grow">{children}</div>
      {drawer}
    </div>
  );
}

/** Which record a drawer is of, and what leaves it or opens another. */
export interface DrawerOf {
  id: string;
  onClose: () => void;
  onOpen: (id: string) => void;
}

interface DrawerProps {
  title: ReactNode;
  /** What it shows, for those who do not see it. */
  label: string;
  onClose: () => void;
  tools?: ReactNode;
  children: ReactNode;
}

/** What a row is about, beside the list; Escape closes it. */
export function Drawer({ title, label, onClose, tools, children }: DrawerProps) {
  useEscape(onClose);
  return (
    <aside className="drawer column" aria-label={label}>
      <div className="page-head row ruled fixed">
        <h2 className="cut grow">{title}</h2>
        {tools}
        <Button look="quiet" icon={X} aria-label="Close" onClick={onClose} />
      </div>
      <div className="drawer-body fill scrolls" tabIndex={0} role="region" aria-label={`${label}, contents`}>
        {children}
      </div>
    </aside>
  );
}

interface RecordDrawerProps<T> {
  /** What it shows, for those who do not see it. */
  label: string;
  id: string;
  /** Undefined until it is known, and for what there is not any more. */
  record: T | undefined;
  error?: unknown;
  /** Said of what there is not any more. */
  gone?: string | false | undefined;
  title: (record: T) => ReactNode;
  onClose: () => void;
  /** What can be done with it. */
  tools?: (record: T) => ReactNode;
  facts: (record: T) => Record<string, ReactNode>;
  /** Above its facts, and below them. */
  before?: (record: T) => ReactNode;
  children?: (record: T) => ReactNode;
}

/** One record beside its list: what can be done with it, its facts, and what else there is to it. */
export function RecordDrawer<T>(props: RecordDrawerProps<T>) {
  const { label, id, record, error, gone, title, onClose, tools, facts, before, children } = props;
  return (
    <Drawer label={label} title={record ? title(record) : id} onClose={onClose}>
      <ErrorNotice error={record ? undefined : error} />
      {!record && gone && <Notice tone="plain">{gone}</Notice>}
      {record && (
        <>
          {tools && <div className="drawer-tools row wrap">{tools(record)}</div>}
          {before?.(record)}
          <Section title="Facts">
            <Facts facts={facts(record)} />
          </Section>
          {children?.(record)}
        </>
      )}
    </Drawer>
  );
}

/** One list of an area, and the drawer of what is opened from it. */
interface AreaTab {
  name: string;
  text: string;
  Contents: ComponentType<OpenRow>;
  Drawer?: ComponentType<DrawerOf>;
  /** How the ids begin that are opened here. */
  ids?: readonly string[];
  /** The record of a run knows nothing of it. */
  isLiveOnly?: boolean;
}

interface TabbedAreaProps {
  area: Area;
  title: string;
  tabs: readonly [AreaTab, ...AreaTab[]];
  /** By this word the address names the tab. */
  word?: string;
  /** Beside the tabs. */
  tools?: (tab: string, opening: OpenRow) => ReactNode;
}

/** An area of several lists: which one is shown, and what is open beside it, by the address. */
export function TabbedArea({ area, title, tabs: all, word = 'tab', tools }: TabbedAreaProps) {
  const tabs = all.filter(({ isLiveOnly }) => !(isLiveOnly && recordSource.value));
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
