import { z } from 'zod';
import { count, effectRow, figure, maybe, presentFields, requireSome } from './effect-row.ts';

/** The most bytes of a file that a rule counts. */
const MOST_BYTES = 100_000_000;

const FIELDS = ['expired', 'truncate_at', 'bytes_per_second', 'content_type', 'flip_bytes', 'wrong_length'] as const;
const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}(?:; ?[\w.+=-]{1,60})?$/;

const cdn = z
  .strictObject({
    expired: maybe(z.literal(true)).describe('true: the URL has expired from now on.'),
    truncate_at: maybe(count(0, MOST_BYTES)).describe('how many bytes come before the connection dies.'),
    bytes_per_second: maybe(count(1, MOST_BYTES)).describe('how fast the body comes, from 1.'),
    content_type: maybe(z.string().regex(MEDIA_TYPE, { error: 'is not a media type', abort: true })).describe(
      'the media type that the answer claims, such as text/html.',
    ),
    flip_bytes: maybe(count(1, MOST_BYTES)).describe('how many bytes of the file are false, from 1.'),
    wrong_length: maybe(count(0, MOST_BYTES)).describe('the Content-Length that the answer claims.'),
  })
  .superRefine((given, context) => {
    // Cut before its first byte is a fault too.
    if (given.truncate_at === undefined && given.wrong_length === undefined)
      requireSome(FIELDS, 'read')(given, context);
    const second = FIELDS.find((field) => field !== 'expired' && given[field] !== undefined);
    if (given.expired === undefined || second === undefined) return;
    context.addIssue({
      code: 'custom',
      path: [second],
      message: 'is never seen, since the URL has expired; leave it out.',
    });
  })
  .transform(presentFields);

const COUNT = { type: 'number', isOptional: true } as const;

/** A download that is slow, cut or wrong, or whose URL has expired [I237]. */
export const cdnEffect = effectRow({
  fields: { cdn: cdn.describe(`an object of ${FIELDS.join(', ')}.`) },
  layer: 'request',
  domain: 'reads of the CDN (/cdn)',
  reaches: ({ surface }) => surface === 'cdn',
  acts: ({ method }, { cdn: { expired } }) => expired === true || method === 'GET',
  changes: ({ cdn: fault }) => ({ cdn: fault }),
  words({ cdn: { expired, truncate_at, bytes_per_second, content_type, flip_bytes, wrong_length } }) {
    const parts = [
      expired && 'has expired',
      truncate_at !== undefined && `dies after ${figure(truncate_at)} bytes`,
      bytes_per_second && `comes at ${figure(bytes_per_second)} bytes a second`,
      content_type && `claims to be ${content_type}`,
      flip_bytes && `has ${figure(flip_bytes)} false ${flip_bytes === 1 ? 'byte' : 'bytes'}`,
      wrong_length !== undefined && `claims ${figure(wrong_length)} bytes`,
    ];
    return `File ${parts.filter(Boolean).join(', ')}`;
  },
  form: {
    text: 'Break a download',
    shape: 'nested',
    fields: [
      { name: 'expired', label: 'The URL has expired', type: 'switch' },
      { ...COUNT, name: 'truncate_at', label: 'Bytes before the connection dies', min: 0, value: '1000' },
      { ...COUNT, name: 'bytes_per_second', label: 'Bytes a second', min: 1 },
      { name: 'content_type', label: 'Media type', type: 'text', isOptional: true, note: 'Such as text/html.' },
      { ...COUNT, name: 'flip_bytes', label: 'False bytes', min: 1 },
      { ...COUNT, name: 'wrong_length', label: 'Content-Length', min: 0 },
    ],
  },
  presets: [
    {
      text: 'Half a file',
      note: 'The next download dies after 1,000 bytes',
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
