import type { ReactNode } from 'react';
import { Drawer } from './drawer.tsx';
import { ErrorNotice, Notice } from './error-notice.tsx';
import { Facts, Section } from './page-head.tsx';

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
