import { Check, Copy } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { tryParseJson } from '../../../base/text.ts';
import { roundedDurationText } from '../../../control/orders/timeline-entry.ts';
import { useEmulatorTime } from '../data/account-and-clock.ts';
import { recordPagePath } from '../data/addresses.ts';
import { setTimer } from '../data/browser.ts';
import type { Account } from '../data/records.ts';

export const formatNumber = new Intl.NumberFormat('en').format;
const signedNumber = new Intl.NumberFormat('en', { signDisplay: 'exceptZero' }).format;

export function pluralizeCount(n: number, one: string): string {
  return `${formatNumber(n)} ${n === 1 ? one : `${one}s`.replace(/ys$/, 'ies')}`;
}

export function Credits({ amount, signed, unit }: { amount: number; signed?: boolean; unit?: boolean }) {
  const digits = (signed ? signedNumber : formatNumber)(amount).replace('-', '−');
  const word = unit ? (Math.abs(amount) === 1 ? ' credit' : ' credits') : '';
  const tone = amount > 0 ? 'good' : 'bad';
  return (
    <span className="toned" data-tone={signed && amount !== 0 ? tone : undefined}>
      {digits + word}
    </span>
  );
}

export function formatPlayTime(seconds: number): string {
  const whole = Math.round(Number.isFinite(seconds) ? seconds : 0);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

export function formatExactTime(unixSeconds: number): string {
  return EXACT.format(unixSeconds * 1000);
}

export function formatTimeOfDay(unixSeconds: number): string {
  return CLOCK.format(unixSeconds * 1000);
}

function relativeTime(then: number, now: number): string {
  const seconds = Math.abs(now - then);
  if (seconds < 10) return 'just now';
  const text = roundedDurationText(seconds);
  return then > now ? `in ${text}` : `${text} ago`;
}

export function Time({ at, children }: { at: number; children: string }) {
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={formatExactTime(at)}>
      {children}
    </time>
  );
}

export function RelativeTime({ at }: { at: number | string }) {
  const then = typeof at === 'number' ? at : Date.parse(at) / 1000;
  return <Time at={then}>{relativeTime(then, useEmulatorTime())}</Time>;
}

export function TimeOfDay({ at }: { at: number }) {
  return <Time at={at}>{formatTimeOfDay(at)}</Time>;
}

export type Tone = 'good' | 'bad' | 'wait' | 'plain' | 'work';

const TONES: Record<string, Tone> = {
  succeeded: 'good',
  done: 'good',
  delivered: 'good',
  enabled: 'good',
  failed: 'bad',
  queued: 'wait',
  processing: 'wait',
  running: 'wait',
  waiting: 'wait',
  due: 'wait',
  attempted: 'wait',
};

const WORDS: Record<string | number, string> = { 0: 'reset', attempted: 'in flight' };

function toneOfStatus(status: string | number): Tone {
  if (typeof status === 'string') return TONES[status] ?? 'plain';
  if (status === 0 || status >= 400) return 'bad';
  return status < 300 ? 'good' : 'plain';
}

export function StatusBadge({ status }: { status: string | number }) {
  return <Badge tone={toneOfStatus(status)}>{WORDS[status] ?? status}</Badge>;
}

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}

export function TonedText({ tone, code, children }: { tone: Tone | undefined; code?: boolean; children: ReactNode }) {
  const Tag = code ? 'code' : 'span';
  return (
    <Tag className="toned" data-tone={tone}>
      {children}
    </Tag>
  );
}

const SAID = 1500;

export function useCopyToClipboard(): { copied: boolean; copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  const copy = (text: string) => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        setTimer(SAID, () => setCopied(false));
      },
      () => window.prompt('The browser does not allow this page to copy. Copy the text from here:', text),
    );
  };
  return { copied, copy };
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const { copied, copy } = useCopyToClipboard();
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

const LONG = /^([a-z]+_.{4}).{4,}(.{6})$/;

export function shortId(id: string): string {
  const [, whose, which] = LONG.exec(id) ?? [];
  return whose === undefined ? id : `${whose}…${which}`;
}

export function TextLink({ text, ...to }: { href: string; text: string; title?: string }) {
  return (
    <Link className="named mono" {...to}>
      {text}
    </Link>
  );
}

export function IdChip({ id }: { id: string }) {
  const href = recordPagePath(id);
  return (
    <span className="mono">
      {href ? <TextLink href={href} text={shortId(id)} title={id} /> : <span title={id}>{shortId(id)}</span>}
      <CopyButton text={id} label={id} />
    </span>
  );
}

export function accountDisplayName({ id, name }: Account): string {
  return name === null || name === id ? shortId(id) : name;
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export function JsonView({ value, label }: { value: unknown; label: string }) {
  const read = typeof value === 'string' ? tryParseJson(value) : value;
  const text = read === undefined ? String(value) : JSON.stringify(read, null, 2);
  return <CodeBlock text={text} label={label} json />;
}

export function CodeBlock({ text, label, json }: { text: string; label: string; json?: boolean }) {
  return (
    <div className="code framed sunken">
      <pre tabIndex={0} role="region" aria-label={label}>
        {json ? renderTextMatches(text, TOKEN, (match) => <span className={kindOf(match)}>{match[0]}</span>) : text}
      </pre>
      <CopyButton text={text} label={label.toLowerCase()} />
    </div>
  );
}

export function renderTextMatches(
  text: string,
  pattern: RegExp,
  draw: (match: RegExpExecArray) => ReactNode,
): ReactNode {
  const found = [...text.matchAll(pattern)];
  const ends = [0, ...found.map(({ index, 0: part }) => index + part.length)];
  return (
    <>
      {found.map((match, n) => (
        <Fragment key={match.index}>
          {text.slice(ends[n], match.index)}
          {draw(match)}
        </Fragment>
      ))}
      {text.slice(ends.at(-1))}
    </>
  );
}

function kindOf([token, quoted, colon]: RegExpExecArray): string {
  if (colon) return 'json-name';
  if (quoted) return 'json-text';
  return /^[tfn]/.test(token) ? 'json-word' : 'json-number';
}
