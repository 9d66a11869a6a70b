import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A value, or a text that may be JSON, laid out and coloured. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === 'string' ? laidOut(value) : JSON.stringify(value, null, 2);
  return <Code text={text} label={label} json />;
}

/** A text in the typeface of code; `label` says what it is. */
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
