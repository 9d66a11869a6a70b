import { CircleAlert, type LucideIcon, SearchX } from 'lucide-react';
import {
  type ComponentProps,
  createElement,
  type ElementType,
  type KeyboardEvent,
  type ReactNode,
  useRef,
} from 'react';
import { Link } from 'wouter';
import type { Drawn } from '../../../control/orders/draw-lanes.ts';
import { useFilter } from '../data/addresses.ts';
import { PageStore } from '../data/browser.ts';
import { recordSource } from '../data/call-api.ts';
import { type Tone, Toned } from './values.tsx';

interface ButtonProps extends ComponentProps<'button'> {
  text?: string | undefined;
  variant?: 'plain' | 'primary' | 'danger' | 'quiet' | undefined;
  icon?: LucideIcon | undefined;
  /** Beside an icon that has no text, where the window is wide. */
  word?: string | undefined;
  isLiveOnly?: boolean;
}

/** A button; one with an icon alone needs an `aria-label`. */
export function Button(props: ButtonProps) {
  const { text, variant = 'plain', icon: Icon, word, title, isLiveOnly, children = text, ...rest } = props;
  if (isLiveOnly && recordSource.value) return null;
  const hasText = children !== undefined;
  const tooltip = title ?? (hasText ? undefined : rest['aria-label']);
  const small = hasText ? {} : { 'data-only-icon': '' };
  return (
    <button type="button" data-variant={variant} {...small} {...rest} title={tooltip} className="button">
      {Icon && <Icon aria-hidden />}
      {children ?? wideWord(word)}
    </button>
  );
}

const wideWord = (word: string | undefined) => word && <span className="wide-word">{word}</span>;

interface LinkButtonProps {
  href: string;
  text: string;
  icon?: LucideIcon;
  variant?: 'plain' | 'quiet';
  isSmall?: boolean;
  /** Beside that icon, where the window is wide. */
  word?: string;
  /** A file to save, under this name or its own. */
  download?: string | true;
  title?: string;
  onClick?: () => void;
}

export function LinkButton({ text, icon: Icon, variant, isSmall, word, title, ...rest }: LinkButtonProps) {
  const Tag = rest.download ? 'a' : Link;
  const small = isSmall && { 'data-only-icon': '', 'aria-label': text };
  return (
    <Tag {...rest} {...small} className="button" data-variant={variant} title={title ?? (isSmall ? text : undefined)}>
      {Icon && <Icon aria-hidden />} {isSmall ? wideWord(word) : text}
    </Tag>
  );
}

/** Renders its children for a live emulator only: in a trace nothing can be changed. */
export function LiveOnly({ children }: { children: ReactNode }) {
  return recordSource.value ? null : children;
}

interface FileButtonProps {
  text?: string;
  label: string;
  icon: LucideIcon;
  variant?: 'plain' | 'primary';
  accept?: string;
  multiple?: boolean;
  disabled?: boolean;
  onChoose: (files: File[]) => void;
}

/** A button that chooses files; the same ones can be chosen again. */
export function FileButton({ text, label, icon: Icon, variant, disabled, onChoose, ...field }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        {...field}
        ref={input}
        type="file"
        hidden
        aria-label={label}
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <Button
        variant={variant ?? 'plain'}
        icon={Icon}
        disabled={disabled ?? false}
        {...(text ? {} : { 'aria-label': label })}
        onClick={() => input.current?.click()}
      >
        {text}
      </Button>
    </>
  );
}

interface ChoicesProps {
  label: string;
  value: string;
  /** Texts of the options by their values. */
  options: Readonly<Record<string, string>>;
  onChange: (value: string) => void;
}

/** A choice in the address. The usual option, which is not written there, is the first. */
export interface Filter extends Pick<ChoicesProps, 'label' | 'options'> {
  name: string;
  usual?: string;
}

/** What was chosen; undefined for the usual option. */
export function useChoice(filter: Filter | undefined): string | undefined {
  const usual = filter?.usual ?? Object.keys(filter?.options ?? {})[0];
  const [value] = useFilter(filter?.name ?? '', usual);
  return filter && value !== usual ? value : undefined;
}

export function FilterChoices({ name, label, options, usual = Object.keys(options)[0] }: Filter) {
  const [value, onChange] = useFilter(name, usual);
  return <Choices {...{ label, options, value, onChange }} />;
}

/** A segmented control: one tab stop, with the arrow keys moving inside. */
export function Choices({ label, value, options, onChange }: ChoicesProps) {
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

export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className="page-head row wrap ruled">
      <h1>{title}</h1>
      {children}
    </header>
  );
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

export function Figures({ children }: { children: ReactNode }) {
  return <div className="panels ruled fixed">{children}</div>;
}

interface FigureProps {
  name: string;
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

export function drawTree(tree: Drawn, own: Readonly<Record<string, ElementType>>): ReactNode {
  if (typeof tree === 'string') return tree;
  const [tag, attributes, ...inside] = tree;
  return createElement(own[tag] ?? tag, attributes, ...inside.map((each) => drawTree(each, own)));
}

interface ToastMessage {
  title: string;
  note?: string | undefined;
  tone: Tone;
  isError: boolean;
}

/** Messages to be shown; undefined until the first one. */
export const pendingToasts = new PageStore<readonly ToastMessage[] | undefined>(undefined);

export function showToast(title: string, note?: string, tone: Tone = 'plain'): void {
  queue({ title, note, tone, isError: false });
}

export function showError(error: unknown): void {
  const title = error instanceof Error ? error.message : String(error);
  queue({ title, tone: 'bad', isError: true });
}

function queue(message: ToastMessage): void {
  pendingToasts.set([...(pendingToasts.value ?? []), message]);
}
