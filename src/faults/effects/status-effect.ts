import { injectedStatus } from '../injected-status.ts';
import { effectRow } from './effect-row.ts';
import { code, count, maybe } from './effect-values.ts';

/** Answered with this status before any work, uncharged; 402 as if the credits had run out [I143 I237]. */
export const statusEffect = effectRow({
  fields: {
    status: count(400, 599).describe('an HTTP status from 400 to 599.'),
    code: maybe(code()).describe('a code of your own.'),
    retry_after: maybe(count(0, 86_400)).describe('seconds for Retry-After, 0 to 86400.'),
  },
  layer: 'request',
  ends: true,
  domain: 'requests',
  reaches: () => true,
  meet({ status, code: named, retry_after }) {
    throw injectedStatus(status, named, retry_after);
  },
  words({ status, code: named, retry_after }) {
    const wait = retry_after === undefined ? '' : `, retry after ${retry_after} s`;
    return `Answers ${[status, named].filter(Boolean).join(' ')}${wait}`;
  },
  form: {
    text: 'Answer an error',
    shape: 'flat',
    fields: [
      { name: 'status', label: 'Status', type: 'number', min: 400, max: 599, value: '503' },
      { name: 'code', label: 'Code', type: 'code', isOptional: true, value: 'overloaded', note: 'Such as overloaded.' },
      { name: 'retry_after', label: 'Retry after, in seconds', type: 'number', isOptional: true },
    ],
  },
  presets: [
    {
      text: 'Rate limited',
      note: 'The next three requests are answered 429, retry after 2 seconds',
      match: { path: '/v1' },
      effect: { status: 429, code: 'rate_limited', retry_after: 2 },
      times: 3,
    },
    {
      text: 'Overloaded',
      note: 'The next two requests are answered 503',
      match: { path: '/v1' },
      effect: { status: 503, code: 'overloaded' },
      times: 2,
    },
    {
      text: 'Out of credits',
      note: 'The next order is answered 402, as if the credits had run out',
      match: { path: '/v1', method: 'POST' },
      effect: { status: 402 },
      times: 1,
    },
  ],
});
