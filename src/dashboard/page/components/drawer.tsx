import { Trash2, X } from 'lucide-react';
import type { ComponentProps, ComponentType, ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useOpenRecord, useUrlParam } from '../data/addresses.ts';
import { type AreaName, areaPathBuilders } from '../data/areas.ts';
import { useEscape } from '../data/browser.ts';
import { traceSource } from '../data/call-api.ts';
import { ActionButton } from './action-button.tsx';
import type { OpenRowProps } from './data-list.tsx';
import { Button, DetailList, ErrorNotice, Notice, PageHeader, Section, SegmentedControl } from './page-parts.tsx';

export function SplitView({ children, drawer }: { children: ReactNode; drawer: ReactNode }) {
  return (
    <div className="row stretch fill">
      <div className="column grow">{children}</div>
      {drawer}
    </div>
  );
}

export interface TabDrawerProps {
  id: string;
  onClose: () => void;
  onOpen: (id: string) => void;
}

export function Drawer(props: { title: ReactNode; label: string; onClose: () => void; children: ReactNode }) {
  const { title, label, onClose, children } = props;
  useEscape(onClose);
  return (
    <aside className="drawer column" aria-label={label}>
      <div className="page-head row ruled fixed">
        <h2 className="cut grow">{title}</h2>
        <Button variant="quiet" icon={X} text="Close" isSmall onClick={onClose} />
      </div>
      <div className="drawer-body fill scrolls" tabIndex={0} role="region" aria-label={`${label}, contents`}>
        {children}
      </div>
    </aside>
  );
}

interface RecordDrawerProps<T> {
  label: string;
  id: string;
  /** Undefined until the record is loaded, after an error, and if the record was deleted. */
  record: T | undefined;
  error?: unknown;
  gone?: string;
  isGone?: boolean;
  title: (record: T) => ReactNode;
  onClose: () => void;
  tools?: (record: T) => ReactNode;
  /** How to delete the record, and what to ask before. */
  remove?: (record: T) => Omit<ComponentProps<typeof ActionButton>, 'text' | 'onSuccess'>;
  details: (record: T) => Record<string, ReactNode>;
  before?: (record: T) => ReactNode;
  children?: (record: T) => ReactNode;
}

export function RecordDrawer<T>(props: RecordDrawerProps<T>) {
  const { label, id, record, error, gone, isGone, title, onClose, tools, remove, details, before, children } = props;
  return (
    <Drawer label={label} title={record ? title(record) : id} onClose={onClose}>
      <ErrorNotice error={record ? undefined : error} />
      {!record && isGone && <Notice tone="plain">{gone}</Notice>}
      {record && (
        <>
          {(tools || remove) && (
            <div className="drawer-tools row wrap">
              {tools?.(record)}
              {remove && <ActionButton text="Delete" icon={Trash2} {...remove(record)} onSuccess={onClose} />}
            </div>
          )}
          {before?.(record)}
          <Section title="Details">
            <DetailList details={details(record)} />
          </Section>
          {children?.(record)}
        </>
      )}
    </Drawer>
  );
}

interface AreaTab {
  name: string;
  text: string;
  Contents: ComponentType<OpenRowProps>;
  Drawer?: ComponentType<TabDrawerProps>;
  ids?: readonly string[];
  isLiveOnly?: boolean;
}

interface TabbedAreaProps {
  area: AreaName;
  title: string;
  tabs: readonly [AreaTab, ...AreaTab[]];
  word?: string;
  tools?: (tab: string, opening: OpenRowProps) => ReactNode;
}

export function TabbedPage({ area, title, tabs: all, word = 'tab', tools }: TabbedAreaProps) {
  const tabs = all.filter(({ isLiveOnly }) => !(isLiveOnly && traceSource.value));
  const { id, open } = useOpenRecord(area);
  const [chosen] = useUrlParam(word, all[0].name);
  const [, navigate] = useLocation();
  const search = useSearch();
  const own = id === undefined ? undefined : all.find(({ ids }) => ids?.some((prefix) => id.startsWith(prefix)));
  const tab = own ?? all.find(({ name }) => name === chosen) ?? all[0];
  const { name, Contents, Drawer } = tab;
  const go = (query: Record<string, string>) => navigate(`${areaPathBuilders[area]()}?${new URLSearchParams(query)}`);
  const close = () => go({ ...Object.fromEntries(new URLSearchParams(search)), [word]: name });
  const opening = { opened: id, onOpen: open };
  return (
    <SplitView drawer={id && Drawer && <Drawer key={id} id={id} onClose={close} onOpen={open} />}>
      <PageHeader title={title}>
        {tabs.length > 1 && (
          <SegmentedControl
            label="Show"
            value={name}
            options={Object.fromEntries(tabs.map((each) => [each.name, each.text]))}
            onChange={(to) => go({ [word]: to })}
          />
        )}
        <span className="grow" />
        {tools?.(name, opening)}
      </PageHeader>
      <Contents {...opening} />
    </SplitView>
  );
}
