import { CircleAlert, type LucideIcon, SearchX } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { ApiError, recordSource } from '../data/call-api.ts';
import { type Tone, Toned } from './values.tsx';

/** The line at the top of a page: what it is, and its tools. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className="page-head row wrap ruled">
      <h1>{title}</h1>
      {children}
    </header>
  );
}

/** A part of a drawer or page; `tools` stand beside its title. */
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

/** Names and what they are; a fact that is null or undefined is left out. */
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

/** A row of what counts most on a page, inside of something `measured`. */
export function Figures({ children }: { children: ReactNode }) {
  return <div className="figures ruled fixed">{children}</div>;
}

interface FigureProps {
  name: string;
  /** What changes it. */
  tool?: ReactNode;
  note?: ReactNode;
  children: ReactNode;
}

export function Figure({ name, tool, note, children }: FigureProps) {
  return (
    <div className="figure">
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
  /** The next step: what to do so that something is here. */
  children?: ReactNode;
  /** Whether that can be done over the record of a run too, as another search can. */
  inRecord?: boolean;
}

/** What a page says that has nothing to show yet. */
export function EmptyState({ icon: Icon, title, children, inRecord = Icon === SearchX }: EmptyStateProps) {
  return (
    <div className="empty row soft fill">
      <Icon aria-hidden />
      <h2>{title}</h2>
      {(inRecord || !recordSource.value) && children}
    </div>
  );
}

/** What went wrong, in the words of the emulator, and where. Nothing without an error. */
export function ErrorNotice({ error }: { error: unknown }) {
  if (!error) return null;
  const code = error instanceof ApiError ? error.code : undefined;
  return <Notice {...{ tone: 'bad', code }}>{error instanceof Error ? error.message : String(error)}</Notice>;
}

/** A paragraph that stands out. */
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

interface ButtonProps extends ComponentProps<'button'> {
  look?: 'plain' | 'primary' | 'danger' | 'quiet' | undefined;
  icon?: LucideIcon | undefined;
}

/** A button; one with an icon alone needs an `aria-label`. */
export function Button({ look = 'plain', icon: Icon, title, children, ...rest }: ButtonProps) {
  const hasText = children !== undefined;
  const told = title ?? (hasText ? undefined : rest['aria-label']);
  return (
    <button
      type="button"
      data-look={look}
      data-only-icon={hasText ? undefined : ''}
      {...rest}
      title={told}
      className="button"
    >
      {Icon && <Icon aria-hidden />}
      {children}
    </button>
  );
}

/** What can be done to an emulator: over the record of a run there is none of it. */
export function OfService({ children }: { children: ReactNode }) {
  return recordSource.value ? null : children;
}
