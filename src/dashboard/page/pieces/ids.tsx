import { Check, Copy, Link2, type LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { later } from '../data/browser-time.ts';
import { pathOf } from '../data/paths.ts';
import type { Account } from '../data/records.ts';
import { Button } from './button.tsx';

/** How long "Copied" is shown, in milliseconds. */
const SAID = 1500;

/** Copies a text; `copied` is true for a short time after. */
export function useCopy(): { copied: boolean; copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  const copy = (text: string) => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        later(SAID, () => setCopied(false));
      },
      () => window.prompt('This browser does not let the page copy. Copy it from here:', text),
    );
  };
  return { copied, copy };
}

/** A button that copies a text and confirms it. */
export function CopyText({
  text,
  icon = Link2,
  children,
}: {
  text: () => string;
  icon?: LucideIcon;
  children: string;
}) {
  const { copied, copy } = useCopy();
  return <Button text={copied ? 'Copied' : children} icon={copied ? Check : icon} onClick={() => copy(text())} />;
}

/** A small button beside what it copies; `label` names that, as in "the id". */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { copied, copy } = useCopy();
  const name = copied ? 'Copied' : `Copy ${label}`;
  return (
    <button
      type="button"
      className="copy bare"
      aria-label={name}
      title={name}
      data-done={copied ? '' : undefined}
      onClick={() => copy(text)}
    >
      {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </button>
  );
}

/** An id starts with the part of its owner and ends with its number. */
const LONG = /^([a-z]+_.{4}).{4,}(.{6})$/;

/** A shortened id that is still distinct. */
export function shortId(id: string): string {
  const [, whose, which] = LONG.exec(id) ?? [];
  return whose === undefined ? id : `${whose}…${which}`;
}

/** A shortened id that links to its record, with a copy button. */
export function IdChip({ id }: { id: string }) {
  const place = pathOf(id);
  return (
    <span className="mono">
      {place ? (
        <Link className="named" href={place} title={id}>
          {shortId(id)}
        </Link>
      ) : (
        <span title={id}>{shortId(id)}</span>
      )}
      <CopyButton text={id} label={id} />
    </span>
  );
}

/** The name of an account, or its id if it has no name. */
export function accountName({ id, name }: Account): string {
  return name === null || name === id ? shortId(id) : name;
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A value, or a text that may be JSON, pretty-printed with syntax colours. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === 'string' ? laidOut(value) : JSON.stringify(value, null, 2);
  return <Code text={text} label={label} json />;
}

/** A block of code; `label` is its accessible name. */
export function Code({ text, label, json }: { text: string; label: string; json?: boolean }) {
  return (
    <div className="code framed sunken">
      <pre tabIndex={0} role="region" aria-label={label}>
        {json ? coloured(text) : text}
      </pre>
      <CopyButton text={text} label={label.toLowerCase()} />
    </div>
  );
}

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function coloured(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  const end = [...text.matchAll(TOKEN)].reduce((from, found) => {
    const [token, quoted, colon] = found;
    parts.push(text.slice(from, found.index));
    parts.push(
      <span key={found.index} className={kindOf(token, quoted, colon)}>
        {token}
      </span>,
    );
    return found.index + token.length;
  }, 0);
  return [...parts, text.slice(end)];
}

function kindOf(token: string, quoted: string | undefined, colon: string | undefined): string {
  if (colon) return 'json-name';
  if (quoted) return 'json-text';
  return /^[tfn]/.test(token) ? 'json-word' : 'json-number';
}
