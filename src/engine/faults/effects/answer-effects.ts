import { z } from 'zod';
import { integerBetween, optional } from '../../../base/schemas.ts';
import { CHANGE_DESCRIPTIONS, COMPATIBLE_CHANGES } from '../compatible-changes.ts';
import { injectedStatusError } from '../request-faults.ts';
import {
  defineEffect,
  errorCodeSchema,
  formatByteCount,
  formatGroupedNumber,
  MAX_EFFECT_DELAY_MS,
  makeAtLeastOneFieldCheck,
  withoutNullishFields,
} from './effect-definition.ts';

/**
 * Returns an error before any work, without a charge. The status 402 looks like an empty balance. A held response that
 * is released with this effect is replaced after the charge [I143 I237].
 */
export const statusEffect = defineEffect({
  fields: {
    status: integerBetween(400, 599).describe('an HTTP status from 400 to 599.'),
    code: optional(errorCodeSchema()).describe('1 to 64 lower-case letters, digits and underscores.'),
    retry_after: optional(integerBetween(0, 86_400)).describe('the value of Retry-After in seconds, 0 to 86400.'),
  },
  layer: 'request',
  ends: true,
  domain: 'requests',
  reaches: () => true,
  beforeWork({ status, code: named, retry_after }) {
    throw injectedStatusError(status, named, retry_after);
  },
  words({ status, code: named, retry_after }) {
    const wait = retry_after === undefined ? '' : `, retry after ${retry_after} s`;
    return `Returns ${[status, named].filter(Boolean).join(' ')}${wait}`;
  },
  form: {
    text: 'Return an error',
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

/**
 * Delays the work. Delays only the response if a directive sets the response, or if a held response is released with
 * this effect.
 */
export const delayEffect = defineEffect({
  fields: {
    delay_ms: integerBetween(1, MAX_EFFECT_DELAY_MS).describe('the delay in milliseconds of real time, 1 to 600000.'),
  },
  layer: 'request',
  domain: 'requests',
  reaches: () => true,
  acts: () => true,
  async beforeWork({ delay_ms }, site) {
    await site.wait(delay_ms);
    return undefined;
  },
  words: ({ delay_ms }) => `Waits ${formatGroupedNumber(delay_ms)} ms`,
  form: {
    text: 'Wait',
    shape: 'flat',
    fields: [
      { name: 'delay_ms', label: 'Milliseconds', type: 'number', min: 1, max: MAX_EFFECT_DELAY_MS, value: '800' },
    ],
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

export const dropEffect = defineEffect({
  fields: { drop: z.literal(true).describe('true to reset the connection before any work.') },
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

/** Loses the response after the work and the charge, before its first byte [I237]. */
export const lostResponseEffect = defineEffect({
  fields: { lost_response: z.literal(true).describe('true to reset the connection after the work and the charge.') },
  layer: 'request',
  domain: 'requests',
  reaches: ({ destination }) => destination !== 'step',
  changes: () => ({ answer: 'lost' }),
  words: () => 'Does the work and loses the response',
  form: { text: 'Lose the response', shape: 'true', fields: [] },
  presets: [
    {
      text: 'Response lost',
      note: 'The next order is done and charged, and its response never arrives',
      match: { path: '/v1', method: 'POST' },
      effect: { lost_response: true },
      times: 1,
    },
  ],
});

/** Delays the response until the next response of the account, for at most one second of real time [I237]. */
export const swapResponseOrderEffect = defineEffect({
  fields: {
    swap: z.literal(true).describe('true to respond after the next response of the account, or after one second.'),
  },
  layer: 'request',
  domain: 'requests of the service',
  reaches: ({ destination }) => destination === 'service',
  changes: () => ({ answer: 'swapped' }),
  words: () => 'Responds after the next response',
  form: { text: 'Respond after the next response', shape: 'true', fields: [] },
});

const MAX_BYTES = 100_000_000;

const FIELDS = ['expired', 'truncate_at', 'bytes_per_second', 'content_type', 'flip_bytes', 'wrong_length'] as const;
const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}(?:; ?[\w.+=-]{1,60})?$/;

const cdn = z
  .strictObject({
    expired: optional(z.literal(true)).describe('true to respond as if the URL had expired.'),
    truncate_at: optional(integerBetween(0, MAX_BYTES)).describe('the number of bytes before the connection breaks.'),
    bytes_per_second: optional(integerBetween(1, MAX_BYTES)).describe(
      'the speed of the body in bytes per second, 1 or more.',
    ),
    content_type: optional(z.string().regex(MEDIA_TYPE, { abort: true })).describe(
      'a media type for the response, such as text/html.',
    ),
    flip_bytes: optional(integerBetween(1, MAX_BYTES)).describe('the number of wrong bytes in the file, 1 or more.'),
    wrong_length: optional(integerBetween(0, MAX_BYTES)).describe('the Content-Length of the response, in bytes.'),
  })
  .superRefine((given, context) => {
    // `makeAtLeastOneFieldCheck` would reject 0, which is a valid number of bytes.
    if (given.truncate_at === undefined && given.wrong_length === undefined)
      makeAtLeastOneFieldCheck(FIELDS, 'read')(given, context);
    const second = FIELDS.find((field) => field !== 'expired' && given[field] !== undefined);
    if (given.expired === undefined || second === undefined) return;
    context.addIssue({
      code: 'custom',
      path: [second],
      message: 'is never seen, since the URL has expired; leave it out.',
    });
  })
  .transform(withoutNullishFields);

const COUNT = { type: 'number', isOptional: true } as const;

export const cdnEffect = defineEffect({
  fields: { cdn: cdn.describe(`an object with one or more of ${FIELDS.join(', ')}.`) },
  layer: 'request',
  domain: 'reads of the CDN (/cdn)',
  reaches: ({ destination }) => destination === 'cdn',
  acts: ({ method }, { cdn: { expired } }) => expired === true || method === 'GET',
  changes: ({ cdn: fault }) => ({ cdn: fault }),
  words({ cdn: { expired, truncate_at, bytes_per_second, content_type, flip_bytes, wrong_length } }) {
    const parts = [
      expired && 'has expired',
      truncate_at !== undefined && `dies after ${formatByteCount(truncate_at)}`,
      bytes_per_second && `comes at ${formatByteCount(bytes_per_second)} a second`,
      content_type && `claims to be ${content_type}`,
      flip_bytes && `has ${formatGroupedNumber(flip_bytes)} false ${flip_bytes === 1 ? 'byte' : 'bytes'}`,
      wrong_length !== undefined && `claims ${formatByteCount(wrong_length)}`,
    ];
    return `File ${parts.filter(Boolean).join(', ')}`;
  },
  form: {
    text: 'Break a download',
    shape: 'nested',
    fields: [
      { name: 'expired', label: 'The URL has expired', type: 'switch' },
      { ...COUNT, name: 'truncate_at', label: 'Bytes before the connection breaks', min: 0, value: '1000' },
      { ...COUNT, name: 'bytes_per_second', label: 'Bytes a second', min: 1 },
      { name: 'content_type', label: 'Media type', type: 'text', isOptional: true, note: 'Such as text/html.' },
      { ...COUNT, name: 'flip_bytes', label: 'Wrong bytes', min: 1 },
      { ...COUNT, name: 'wrong_length', label: 'Content-Length', min: 0 },
    ],
  },
  presets: [
    {
      text: 'Half a file',
      note: 'The next download breaks after 1,000 bytes',
      match: { path: '/cdn' },
      effect: { cdn: { truncate_at: 1000 } },
      times: 1,
    },
    {
      text: 'URL expired',
      note: 'The URL of the next download has expired; reading its job returns a new one',
      match: { path: '/cdn' },
      effect: { cdn: { expired: true } },
      times: 1,
    },
  ],
});

/** Changes the response within the contract, and the events of the jobs or the flow run that the request starts. */
export const compatibleChangeEffect = defineEffect({
  fields: { change: z.enum(COMPATIBLE_CHANGES).describe(`one of ${COMPATIBLE_CHANGES.join(', ')}.`) },
  layer: 'change',
  domain: 'operations of the service',
  reaches: ({ destination }) => destination !== 'cdn',
  acts: () => true,
  changes: ({ change }) => ({ change, job: { change } }),
  words: ({ change }) => `Changes within the contract: ${CHANGE_DESCRIPTIONS[change]}`,
  form: {
    text: 'Change within the contract',
    shape: 'flat',
    fields: [
      {
        name: 'change',
        label: 'Change',
        type: 'options',
        options: Object.entries(CHANGE_DESCRIPTIONS),
        value: 'extra_field',
      },
    ],
  },
});
