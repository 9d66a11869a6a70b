import { brotliCompressSync, gzipSync } from 'node:zlib';
import { drip, raw, rawJson, type Twist, type Writer } from './stand-in.ts';

type Hostile = (...args: Parameters<Twist>) => Writer | undefined;

/** A kind of answer, and what a run against it may come to. */
export interface HostileRow {
  what: string;
  twist: Hostile;
  /** 1 unless it is given: what differs is told. */
  exit?: 0 | 3;
  /** Nothing but the timer ends it. */
  isHeld?: true;
  /** Credits, at most; nothing unless it is given. */
  spent?: number;
  budget?: number;
  /** What its first difference is, and what is booked. */
  loss?: { case: string; there: string; booked: number };
  only?: readonly string[];
}

/** The key that is echoed. */
export const ECHOED = 'svc_sk_Q7w9Zx3LmN5pR2tV8yB4';

/** All answers but those about the account. */
const all =
  (write: ReturnType<typeof raw>): Hostile =>
  (_answer, { line }) =>
    line.includes('/v1/account') ? undefined : write;

/** Answers of JSON that the emulator has served. */
const well =
  (change: (body: Parameters<Hostile>[0]['body']) => void): Hostile =>
  ({ status, body }) => {
    if (status < 300 && body !== undefined) change(body);
  };

const at =
  (line: RegExp, twist: Hostile): Hostile =>
  (answer, asked, service) =>
    line.test(asked.line) ? twist(answer, asked, service) : undefined;

const JSON_HEAD = 'HTTP/1.1 200 OK\ncontent-type: application/json';

/** Answers that were served with another id. */
const withId = (line: RegExp, id: unknown): Hostile =>
  at(
    line,
    well((body) => Object.assign(body, { id })),
  );

const ofType =
  (type: string): Hostile =>
  ({ headers }) =>
    void Object.assign(headers, { 'content-type': type });

const packed = (coding: string, body: Buffer): Hostile =>
  all(raw(`${JSON_HEAD}\ncontent-encoding: ${coding}\nconnection: close`, body));

/** A head of JSON, and then this piece again and again. */
const dripBody = (more: string, piece: string | Buffer): Writer =>
  drip(`${JSON_HEAD}${more}\n\n`.replaceAll('\n', '\r\n'), piece);

const ZEROS = Buffer.alloc(20 * 1024 * 1024);
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const INHERITED =
  '{"__proto__": {"a": 1}, "constructor": {"b": 2}, "toString": 3, "hasOwnProperty": {"__proto__": []}}';

/** Takes what is to be refused as an order. */
const lenient = (charged: number, body: object): Hostile =>
  at(/^POST \/v1\/(?!webhooks|storage)/, (answer, _asked, service) => {
    if (answer.status < 400) return;
    answer.status = 202;
    service.lost += charged;
    answer.body = { id: `job_0000000000${service.lost}`, status: 'queued', ...body };
  });

/** The same, and the balance cannot be read any more once something was charged. */
const hidden =
  (charged: number): Hostile =>
  (answer, asked, service) => {
    if (service.lost > 0 && asked.line.includes('account')) answer.status = 500;
    return lenient(charged, {})(answer, asked, service);
  };

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const CONNECTION: HostileRow[] = [
  { what: 'redirects by 302', twist: (_a, _b, s) => raw(`HTTP/1.1 302 Found\nlocation: ${s.elsewhere}/`), exit: 3 },
  { what: 'redirects by 307', twist: (_a, _b, s) => raw(`HTTP/1.1 307 Go\nlocation: ${s.elsewhere}/`), exit: 3 },
  { what: 'is a page of HTML', twist: ofType('text/html'), exit: 3 },
  { what: 'is silent', twist: () => () => undefined, isHeld: true, exit: 3 },
  { what: 'hangs up at once', twist: () => (socket) => socket.end(), exit: 3 },
  { what: 'resets', twist: () => (socket) => socket.resetAndDestroy(), exit: 3 },
  { what: 'drips its head', twist: () => drip('HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'), isHeld: true, exit: 3 },
  { what: 'drips its body', twist: () => dripBody('\ncontent-length: 9999999', ' '), isHeld: true, exit: 3 },
  { what: 'drips a body without a length', twist: () => dripBody('', ' '), isHeld: true, exit: 3 },
  { what: 'is a 100 without end', twist: () => drip('', CONTINUE), isHeld: true, exit: 3 },
  { what: 'is a 100 and nothing more', twist: () => (socket) => socket.write(CONTINUE), isHeld: true, exit: 3 },
  { what: 'is a 103 and a hang-up', twist: () => raw('HTTP/1.1 103 Early Hints'), exit: 3 },
  { what: 'is a 101', twist: () => raw('HTTP/1.1 101 Switching\nconnection: upgrade\nupgrade: none'), exit: 3 },
  { what: 'has the status 099', twist: () => rawJson('{}', 'HTTP/1.1 099 Low'), exit: 3 },
  { what: 'has the status 600', twist: () => rawJson('{}', 'HTTP/1.1 600 High'), exit: 3 },
  { what: 'is no HTTP', twist: () => (socket) => socket.end('+OK ready\r\n'), exit: 3 },
  { what: 'has a control character in its reason', twist: all(rawJson('{}', 'HTTP/1.1 200 O\x1b[31mK')) },
  { what: 'has a control character in a header', twist: all(raw(`${JSON_HEAD}\nx-request-id: a\x01b`, '{}')), exit: 3 },
  { what: 'has 100 kB of headers', twist: all(raw(`HTTP/1.1 200 OK\nx-a: ${'a'.repeat(100_000)}`)), exit: 3 },
  { what: 'has a length that is too long', twist: all(raw(`${JSON_HEAD}\ncontent-length: 99`, '{"a":1}')), exit: 3 },
  { what: 'has a length that is too short', twist: all(raw(`${JSON_HEAD}\ncontent-length: 2`, '{}{"more":1}')) },
  { what: 'has two lengths', twist: all(raw(`${JSON_HEAD}\ncontent-length: 2\ncontent-length: 3`, '{} ')), exit: 3 },
  { what: 'is cut within a chunk', twist: all(raw(`${JSON_HEAD}\ntransfer-encoding: chunked`, 'ff\r\n{"a"')), exit: 3 },
  { what: 'is over 64 MiB', twist: at(/models$/, () => dripBody('', ZEROS)), exit: 0 },
  { what: 'is a bomb of gzip', twist: packed('gzip', gzipSync(ZEROS)), exit: 3 },
  { what: 'is a bomb of brotli', twist: packed('br', brotliCompressSync(ZEROS)), exit: 3 },
];

const BODY: HostileRow[] = [
  { what: 'is JSON as text/plain', twist: ofType('text/plain') },
  { what: 'is of a media type that nobody knows', twist: ofType('a/hunter2hunter2') },
  { what: 'is cut JSON', twist: all(rawJson('{"data": [{"id": "we_')) },
  { what: 'is no UTF-8', twist: all(raw(`${JSON_HEAD}\nconnection: close`, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))) },
  { what: 'is null', twist: all(rawJson('null')) },
  { what: 'nests 20,000 levels', twist: all(rawJson(DEEP)), exit: 3 },
  { what: 'has fields that every object has', twist: all(rawJson(INHERITED)) },
  {
    what: 'has 5,000 fields',
    twist: well((body) => {
      for (let n = 0; n < 5000; n += 1) body[`f${n}`] = n;
    }),
  },
  {
    what: 'has control characters in its fields',
    twist: well((body) => Object.assign(body, { '\x1b[31m': 1, object: '\u202e\x1b]0;x\x07' })),
  },
  {
    what: 'has ids that are objects',
    twist: well((body) => {
      body.id = { toString: 1, valueOf: 1 };
      body.status = { toString: null };
    }),
  },
  { what: 'has ids with a path', twist: withId(/^POST \/v1\/webhooks/, '../storage/objects/obj_victim') },
  { what: 'has ids of 10,000 letters', twist: withId(/^POST/, 'a'.repeat(10_000)) },
  { what: 'has ids of dots and escapes', twist: withId(/^POST/, '%2e%2e%2faccount') },
  {
    what: 'lists endpoints by ids with a path',
    twist: at(
      /^GET \/v1\/webhooks$/,
      well((body) => {
        for (const each of body.webhooks) each.id = `../storage/objects/${each.id}`;
      }),
    ),
  },
];

const ADDRESS = (url: (elsewhere: string) => string): Hostile =>
  at(/^POST \/v1\/storage/, ({ status, body }, _asked, { elsewhere }) => {
    if (status < 300) body.url = url(elsewhere);
  });
const STORED = {
  budget: 14,
  spent: 4,
  only: ['uploadObject stores', 'deleteObject own', 'deleteObject file'],
} as const;
const host = (elsewhere: string) => elsewhere.slice('http://'.length);

const MONEY_OF = { budget: 11, only: ['createChatCompletion completes'] };
/** What the first chat says of its price. */
const price = (credits_spent: unknown): Hostile =>
  at(
    /^POST \/v1\/chat/,
    well((body) => Object.assign(body, { usage: { credits_spent, credits_remaining: credits_spent } })),
  );
const balance = (credits: unknown): Hostile =>
  at(
    /account$/,
    well((body) => Object.assign(body, { credits })),
  );

const MONEY: HostileRow[] = [
  { what: 'has a URL of @host', twist: ADDRESS((elsewhere) => `@${host(elsewhere)}/x`), ...STORED },
  { what: 'has a URL of another host', twist: ADDRESS((elsewhere) => `${elsewhere}/x`), ...STORED, exit: 0 },
  { what: 'has a URL of //host', twist: ADDRESS((elsewhere) => `//${host(elsewhere)}/x`), ...STORED },
  { what: 'has a URL of \\\\host', twist: ADDRESS((elsewhere) => `\\\\${host(elsewhere)}/x`), ...STORED },
  {
    what: 'has a URL with a user',
    twist: ADDRESS((elsewhere) => elsewhere.replace('//', '//127.0.0.1@')),
    ...STORED,
    exit: 0,
  },
  { what: 'has a URL of a file', twist: ADDRESS(() => 'file:///etc/passwd'), ...STORED },
  { what: 'takes refusals as orders of 28 without usage', twist: lenient(28, {}), spent: 28 },
  {
    what: 'takes refusals as orders of 28 with usage',
    twist: lenient(28, { usage: { credits_spent: 28 } }),
    spent: 28,
  },
  {
    what: 'takes refusals and says that they cost nothing',
    twist: lenient(28, { usage: { credits_spent: 0 } }),
    spent: 28,
  },
  { what: 'takes refusals for nothing', twist: lenient(0, {}) },
  {
    what: 'takes refusals and hides the balance',
    spent: 28,
    loss: { case: 'perhaps charged: the balance cannot be read', there: '1 credits by the catalogue', booked: 1 },
    twist: hidden(28),
  },
  {
    what: 'takes refusals of a budget and hides the balance',
    budget: 30,
    spent: 3,
    loss: { case: 'perhaps charged: the balance cannot be read', there: '1 credits by the catalogue', booked: 1 },
    twist: hidden(3),
  },
  { what: 'takes refusals of a budget as orders', twist: lenient(3, {}), spent: 30, budget: 30 },
  { what: 'has a price that is no number', twist: price('NaN'), ...MONEY_OF, spent: 1 },
  {
    what: 'has a price without end',
    twist: at(/^POST \/v1\/chat/, () => rawJson('{"usage":{"credits_spent":1e999}}')),
    ...MONEY_OF,
    spent: 1,
  },
  { what: 'has a price below 0', twist: price(-1_000_000), budget: 11, spent: 1 },
  { what: 'has half a price', twist: price(0.5), ...MONEY_OF, spent: 1 },
  { what: 'has a balance below 0', twist: balance(-5), budget: 11, spent: 1 },
  { what: 'has a balance that is a text', twist: balance('1000'), budget: 200 },
  {
    what: 'has a balance that grows',
    budget: 11,
    spent: 1,
    twist: (answer, asked, service) => balance(1000 + service.received.length)(answer, asked, service),
  },
];

const hex = Buffer.from(ECHOED).toString('hex');
/** The key as a service may write it. */
export const SPELLINGS: Readonly<Record<string, string>> = {
  plain: ECHOED,
  percent: [...ECHOED].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
  base64: Buffer.from(ECHOED).toString('base64'),
  'base64 within a text': Buffer.from(`x:${ECHOED}`).toString('base64'),
  'JSON escapes': [...ECHOED].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join(''),
  'small hex': hex,
  'large hex': hex.toUpperCase(),
  backwards: [...ECHOED].toReversed().join(''),
  'letters with nothing between': [...ECHOED].join('\u200b'),
  'other capitals': ECHOED.toUpperCase(),
};

const ECHO: HostileRow[] = Object.entries(SPELLINGS).map(([how, key]) => ({
  what: `repeats the key: ${how}`,
  twist: ({ headers, body, status }) => {
    const safe = key.replaceAll('\u200b', '-');
    Object.assign(headers, { 'x-request-id': safe, 'www-authenticate': safe, 'ratelimit-limit': safe });
    if (status === 404) headers['content-type'] = `application/${safe}`;
    if (body === undefined) return;
    Object.assign(body, { [key]: 1, object: key, status: key, id: body.id ?? key, [`a.${key}`]: { [key]: key } });
    if (body.error) Object.assign(body.error, { code: key, type: key, param: key });
  },
}));

export const HOSTILE: readonly HostileRow[] = [...CONNECTION, ...BODY, ...MONEY, ...ECHO];
