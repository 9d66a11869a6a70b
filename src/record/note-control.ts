import { redact, redactPath } from '../journal/redaction.ts';
import type { ActBook } from './act-book.ts';

/** A call that changed something of the control surface, as its connection was done with it. */
export interface ControlCall {
  method: string;
  url: string;
  status: number;
  cut: boolean;
  body: Buffer | undefined;
  answer: string | undefined;
}

/** Of a body and of an answer so many characters (bytes) are kept. */
const KEPT = 4096;

/** Resources whose calls only ask, and those that take what others deliver. */
const ASKING = new Set(['price', 'session', 'verify', 'mcp', 'renders', 'inbox']);

const ACCOUNT = /"account_id"\s*:\s*"(acct_[0-9a-f]{1,64})"/;
const ID = /"id"\s*:\s*"([a-z]{2,8}_[0-9A-Za-z]{1,64})"/;

/** Writes down a call that changed something; one that was refused changed nothing. */
export function noteControl(record: ActBook, { method, url, status, cut, body, answer }: ControlCall): void {
  const [path = ''] = url.split('?');
  const [, , resource = '', second = ''] = path.split('/');
  if (status >= 400 || (method !== 'DELETE' && ASKING.has(resource))) return;
  const request = body ? kept(body.toString('utf8', 0, KEPT), body.length) : null;
  const told = answer === undefined ? null : kept(answer.slice(0, KEPT), answer.length);
  const asked = new URLSearchParams(url.slice(path.length + 1)).get('account_id');
  const named = resource === 'accounts' && second.startsWith('acct_') ? second : undefined;
  record.note({
    kind: 'write',
    accountId: asked ?? named ?? ACCOUNT.exec(request ?? '')?.[1] ?? null,
    call: { method, path: redactPath(path), status, cut },
    ref: second.includes('_') ? second : (ID.exec(told ?? '')?.[1] ?? null),
    detail: { request, answer: told },
  });
}

function kept(text: string, length: number): string {
  return redact(text) + (length > KEPT ? `… [cut: ${length} in all]` : '');
}
