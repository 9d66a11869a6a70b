import { z } from 'zod';
import { injectedStatus } from '../applied-fault.ts';
import { code, count, effectRow, figure, LONGEST_WAIT, maybe } from './effect-row.ts';

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
  beforeWork({ status, code: named, retry_after }) {
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
      note: 'The next three requests return 429 with Retry-After: 2',
      match: { path: '/v1' },
      effect: { status: 429, code: 'rate_limited', retry_after: 2 },
      times: 3,
    },
    {
      text: 'Overloaded',
      note: 'The next two requests return 503',
      match: { path: '/v1' },
      effect: { status: 503, code: 'overloaded' },
      times: 2,
    },
    {
      text: 'Out of credits',
      note: 'The next order returns 402, as if the credits had run out',
      match: { path: '/v1', method: 'POST' },
      effect: { status: 402 },
      times: 1,
    },
  ],
});

/** Delays a request before its work, in real time or until the client hangs up; also one that a directive answers. */
export const delayEffect = effectRow({
  fields: { delay_ms: count(1, LONGEST_WAIT).describe('milliseconds of real time, 1 to 600000.') },
  layer: 'request',
  domain: 'requests',
  reaches: () => true,
  acts: () => true,
  async beforeWork({ delay_ms }, site) {
    await site.wait(delay_ms);
    return undefined;
  },
  words: ({ delay_ms }) => `Waits ${figure(delay_ms)} ms`,
  form: {
    text: 'Wait',
    shape: 'flat',
    fields: [{ name: 'delay_ms', label: 'Milliseconds', type: 'number', min: 1, max: LONGEST_WAIT, value: '800' }],
  },
  presets: [
    {
      text: 'Slow network',
      note: 'Every request waits 1.5 seconds, until the rule is removed',
      match: {},
      effect: { delay_ms: 1500 },
      times: 0,
    },
  ],
});

/** Resets the connection before anything is done: the request was lost on its way. */
export const dropEffect = effectRow({
  fields: { drop: z.literal(true).describe('true.') },
  layer: 'request',
  ends: true,
  domain: 'requests',
  reaches: () => true,
  beforeWork: (_effect, site) => site.reset(),
  words: () => 'Resets the connection',
  form: { text: 'Reset the connection', shape: 'true', fields: [] },
  presets: [
    {
      text: 'Connection lost',
      note: 'The next request gets no response, and nothing is done',
      match: { path: '/v1' },
      effect: { drop: true },
      times: 1,
    },
  ],
});

/** All of the work is done and charged; then the connection is reset before a byte of the answer [I237]. */
export const lostResponseEffect = effectRow({
  fields: { lost_response: z.literal(true).describe('true.') },
  layer: 'request',
  domain: 'requests',
  reaches: ({ surface }) => surface !== 'step',
  changes: () => ({ answer: 'lost' }),
  words: () => 'Does the work and loses the answer',
  form: { text: 'Lose the answer', shape: 'true', fields: [] },
  presets: [
    {
      text: 'Answer lost',
      note: 'The next order is done and charged, and its response never arrives',
      match: { path: '/v1', method: 'POST' },
      effect: { lost_response: true },
      times: 1,
    },
  ],
});

/** The answer comes after the next one of the same account, or after a second of real time [I237]. */
export const swapEffect = effectRow({
  fields: { swap: z.literal(true).describe('true.') },
  layer: 'request',
  domain: 'requests of the service',
  reaches: ({ surface }) => surface === 'service',
  changes: () => ({ answer: 'swapped' }),
  words: () => 'Answers after the next answer',
  form: { text: 'Answer after the next answer', shape: 'true', fields: [] },
});
