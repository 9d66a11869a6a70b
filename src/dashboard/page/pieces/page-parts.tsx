import { CircleAlert, type LucideIcon, SearchX } from 'lucide-react';
import { createElement, type ElementType, type ReactNode } from 'react';
import type { Drawn } from '../../../orders/draw-lanes.ts';
import { recordSource } from '../data/call-api.ts';
import { PageStore } from '../data/page-store.ts';
import { type Tone, Toned } from './values.tsx';

/** The header of a page: its title and tools. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className="page-head row wrap ruled">
      <h1>{title}</h1>
      {children}
    </header>
  );
}

/** A section of a drawer or page; `tools` are shown beside its title. */
export function Section(props: { title: string; tools?: ReactNode; children: ReactNode }) {
  return (
    <section className="section" aria-label={props.title}>
      <div className="section-head row">
        <h3>{props.title}</h3>
        {props.tools}
      </div>
      {props.children}
    </section>
  );
}

/** A description list; a fact that is null or undefined is left out. */
export function Facts({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <dl className="facts">
      {Object.entries(facts)
        .filter(([, fact]) => fact !== null && fact !== undefined)
        .map(([name, fact]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
    </dl>
  );
}

/** The row of key figures of a page. */
export function Figures({ children }: { children: ReactNode }) {
  return <div className="panels ruled fixed">{children}</div>;
}

interface FigureProps {
  name: string;
  /** A control that changes it. */
  tool?: ReactNode;
  note?: ReactNode;
  children: ReactNode;
}

export function Figure({ name, tool, note, children }: FigureProps) {
  return (
    <div className="padded">
      <div className="soft small">{name}</div>
      <div className="row wrap">
        <span className="figure-value row wrap">{children}</span>
        {note && <span className="soft small">{note}</span>}
        {tool && <span className="grow" />}
        {tool}
      </div>
    </div>
  );
}

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  /** The next step: what to do to fill the page. */
  description?: ReactNode;
  children?: ReactNode;
  /** Whether the hint also applies to a trace, as another search does. */
  inTrace?: boolean;
}

/** Shown by a page or list that is empty. */
export function EmptyState({ icon: Icon, title, description, children, inTrace = Icon === SearchX }: EmptyStateProps) {
  const showsHint = inTrace || !recordSource.value;
  return (
    <div className="empty row soft fill">
      <Icon aria-hidden />
      <h2>{title}</h2>
      {showsHint && (typeof description === 'string' ? <p>{description}</p> : description)}
      {showsHint && children}
    </div>
  );
}

/** The message and code of an error, or of the error of an answer; nothing without one. */
export function ErrorNotice({ error }: { error: unknown }) {
  if (!error) return null;
  const { code, message = String(error) } = error as { code?: string; message?: string };
  return <Notice {...{ tone: 'bad', code }}>{message}</Notice>;
}

/** A highlighted paragraph. */
export function Notice({ tone, code, children }: { tone: Tone; code?: string | undefined; children: ReactNode }) {
  return (
    <div className="notice" data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
      <CircleAlert aria-hidden />
      <div className="grow">
        {code && <Toned tone={tone} code>{`${code} `}</Toned>}
        {children}
      </div>
    </div>
  );
}

/** Renders a tree as elements, with own components for some of its tags. */
export function drawTree(tree: Drawn, own: Readonly<Record<string, ElementType>>): ReactNode {
  if (typeof tree === 'string') return tree;
  const [tag, attributes, ...inside] = tree;
  return createElement(own[tag] ?? tag, attributes, ...inside.map((each) => drawTree(each, own)));
}

/** A message in the corner of the page. */
interface ToastMessage {
  title: string;
  note?: string | undefined;
  tone: Tone;
  isError: boolean;
}

/** Messages to be shown; undefined until the first one. */
export const pendingToasts = new PageStore<readonly ToastMessage[] | undefined>(undefined);

/** Shows a message in the corner for a few seconds. */
export function showToast(title: string, note?: string, tone: Tone = 'plain'): void {
  queue({ title, note, tone, isError: false });
}

/** Shows an error in the corner. */
export function showError(error: unknown): void {
  const title = error instanceof Error ? error.message : String(error);
  queue({ title, tone: 'bad', isError: true });
}

function queue(message: ToastMessage): void {
  pendingToasts.set([...(pendingToasts.value ?? []), message]);
}
