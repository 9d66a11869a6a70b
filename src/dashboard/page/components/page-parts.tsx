import { CircleAlert, type LucideIcon, SearchX } from 'lucide-react';
import { type ChangeEvent, type ComponentProps, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { type ListFilter, useUrlParam } from '../data/addresses.ts';
import { PageStore } from '../data/browser.ts';
import { traceSource } from '../data/call-api.ts';
import { type Tone, TonedText } from './values.tsx';

interface Look {
  text?: string | undefined;
  variant?: 'plain' | 'primary' | 'danger' | 'quiet' | undefined;
  icon?: LucideIcon | undefined;
  isSmall?: boolean | undefined;
  word?: string | undefined;
  title?: string | undefined;
}

function lookOf({ text, variant, icon: Icon, isSmall = false, word, title }: Look) {
  const children = (
    <>
      {Icon && <Icon aria-hidden />}
      {isSmall ? word && <span className="wide-word">{word}</span> : text}
    </>
  );
  const small = isSmall && { 'data-only-icon': '', 'aria-label': text, title: text };
  return { className: 'button', 'data-variant': variant, children, ...small, ...(title && { title }) };
}

export type ButtonProps = Look & Omit<ComponentProps<'button'>, 'title'>;

export function Button({ text, variant, icon, isSmall, word, title, ...rest }: ButtonProps) {
  return <button type="button" {...rest} {...lookOf({ text, variant, icon, isSmall, word, title })} />;
}

interface LinkButtonProps extends Look {
  href: string;
  download?: string | true;
  onClick?: () => void;
}

export function LinkButton({ href, download, onClick, ...look }: LinkButtonProps) {
  const Tag = download ? 'a' : Link;
  return <Tag {...{ href, download, onClick }} {...lookOf(look)} />;
}

export function LiveOnly({ children }: { children: ReactNode }) {
  return traceSource.value ? null : children;
}

interface FileButtonProps extends ButtonProps {
  label: string;
  onChoose: (files: File[]) => void;
}

/** A button that lets the user choose files, even the same ones twice in a row. */
export function FileButton({ label, onChoose, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
    onChoose([...(target.files ?? [])]);
    target.value = '';
  };
  return (
    <>
      <input ref={input} type="file" multiple hidden aria-label={label} onChange={take} />
      <Button {...button} onClick={() => input.current?.click()} />
    </>
  );
}

interface ChoicesProps {
  label: string;
  value: string;
  options: Readonly<Record<string, string>>;
  onChange: (value: string) => void;
}

export function FilterChoices({ name, label, options, usual = Object.keys(options)[0] }: ListFilter) {
  const [value, onChange] = useUrlParam(name, usual);
  return <SegmentedControl {...{ label, options, value, onChange }} />;
}

export function SegmentedControl({ label, value, options, onChange }: ChoicesProps) {
  const chosen = Object.hasOwn(options, value) ? value : Object.keys(options)[0];
  const move = ({ key, currentTarget: { nextElementSibling, previousElementSibling } }: KeyboardEvent) => {
    const to = { ArrowRight: nextElementSibling, ArrowLeft: previousElementSibling }[key];
    if (to instanceof HTMLElement) to.focus();
  };
  return (
    <div className="choices" role="group" aria-label={label}>
      {Object.entries(options).map(([each, text]) => (
        <button
          key={each}
          type="button"
          className="choice soft strong bare"
          aria-pressed={each === value}
          tabIndex={each === chosen ? 0 : -1}
          onClick={() => onChange(each)}
          onKeyDown={move}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

export function PageHeader({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className="page-head row wrap ruled">
      <h1>{title}</h1>
      {children}
    </header>
  );
}

export const openRecordTitle = new PageStore<string | undefined>(undefined);

export function useSetOpenRecordTitle(title: string | undefined): void {
  useEffect(() => {
    openRecordTitle.set(title);
    return () => openRecordTitle.set(undefined);
  }, [title]);
}

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

export function DetailList({ details }: { details: Record<string, ReactNode> }) {
  return (
    <dl className="detail-list">
      {Object.entries(details)
        .filter(([, detail]) => detail !== null && detail !== undefined)
        .map(([name, detail]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{detail}</dd>
          </div>
        ))}
    </dl>
  );
}

export function KeyFigure(props: { name: string; tool?: ReactNode; note?: ReactNode; children: ReactNode }) {
  const { name, tool, note, children } = props;
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
  children?: ReactNode;
  inTrace?: boolean;
}

export function EmptyState({ icon: Icon, title, children, inTrace = Icon === SearchX }: EmptyStateProps) {
  return (
    <div className="empty row soft fill">
      <Icon aria-hidden />
      <h2>{title}</h2>
      {(inTrace || !traceSource.value) && (typeof children === 'string' ? <p>{children}</p> : children)}
    </div>
  );
}

export function ErrorNotice({ error }: { error: unknown }) {
  if (!error) return null;
  const { code, message = String(error) } = error as { code?: string; message?: string };
  return <Notice {...{ tone: 'bad', code }}>{message}</Notice>;
}

export function Notice({ tone, code, children }: { tone: Tone; code?: string | undefined; children: ReactNode }) {
  return (
    <div className="notice" data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
      <CircleAlert aria-hidden />
      <div className="grow">
        {code && <TonedText tone={tone} code>{`${code} `}</TonedText>}
        {children}
      </div>
    </div>
  );
}

export function showToast(title: string, description?: string, type: Tone = 'plain'): void {
  const urgent = type === 'bad' && ({ priority: 'high', timeout: 10_000 } as const);
  const add = import('./toast-corner.tsx').then(({ toasts }) => toasts.add({ title, description, type, ...urgent }));
  // If this part cannot be loaded, the shell reloads the page.
  add.catch(() => undefined);
}

export function showErrorToast(error: unknown): void {
  showToast(error instanceof Error ? error.message : String(error), undefined, 'bad');
}
