import { expect, it } from 'vitest';
import type { ReportCard } from '../../../src/control/receiver/report-card.ts';
import { EVENT_TYPES } from '../../../src/engine/webhooks/event-schemas.ts';
import { pageReceivers, pageSignature, runReceiver } from '../../docs/page-receivers.ts';
import { world } from '../../support/world.ts';

const here = await world();
const receiver = pageReceivers().get('node-receiver.mjs') ?? '';
const signature = pageSignature();
const SECRET = 'whsec_of_the_test';
const PARSED = 'const event = JSON.parse(body);\n';

const also = (line: string): [from: string, to: string] => [PARSED, `${PARSED}${line}\n`];
const KNOWN = JSON.stringify(EVENT_TYPES);
const UNSIGNED = ['bad_signature', 'altered_byte', 'moved_timestamp', 'short_signature'];
const SENT = "request.headers['svc-signature'] ?? '', ";
const LATE = 'if (event.created < (globalThis.last ?? 0) - 30) return response.writeHead(409).end();';
const IMPATIENT = `const size = Number(request.headers['content-length']);
  request.once('data', ({ length }) => { if (length < size && size < 10_000) response.writeHead(408).end(); });
`;

/** Mistakes: the change to the documented receiver, and the checks that fail because of it. */
const MISTAKES: [mistake: string, change: [from: string, to: string], found: string[]][] = [
  ['does not check the signature', ['return fits && Date', 'return Date'], UNSIGNED],
  [
    'verifies JSON that it parsed and wrote again',
    [`${SENT}body, `, `${SENT}JSON.stringify(JSON.parse(body)), `],
    ['other_spelling'],
  ],
  ['does not check the time', [' && Date.now() / 1000 - t <= 300', ''], ['old_timestamp']],
  ['takes the first v1 only', ["valuesOf('v1').some", "valuesOf('v1').slice(0, 1).some"], ['second_of_two_signatures']],
  ['is too slow for large bodies', also('if (body.length > 1_000_000) return;'), ['large_body']],
  [
    'fails on types that it does not know',
    also(`if (!${KNOWN}.includes(event.type)) throw new Error('unknown');`),
    ['unknown_type'],
  ],
  [
    'rejects fields that it does not know',
    also('if (Object.keys(event).length > 4) return response.writeHead(422).end();'),
    ['unknown_fields'],
  ],
  [
    'answers 409 to what it has handled already',
    also('if (handled.has(event.id)) return response.writeHead(409).end();'),
    ['duplicate'],
  ],
  [
    'fails on a v1 of another length',
    ['sent.length === expected.length && timingSafeEqual', 'timingSafeEqual'],
    ['short_signature'],
  ],
  ['goes by the order of arrival', also(`${LATE}\nglobalThis.last = event.created;`), ['out_of_order']],
  ['expects a short body in one piece', ['const chunks = [];', `${IMPATIENT}const chunks = [];`], ['slow_body']],
];

async function cardOf([from, to]: readonly [from: string, to: string]): Promise<ReportCard> {
  expect(`${receiver}${signature}`.split(from)).toHaveLength(2);
  const spoilt = { signature: signature.replace(from, to) };
  const { url } = await runReceiver('node-receiver.mjs', receiver.replace(from, to), SECRET, spoilt);
  return (await here.control('POST', '/verify', { url, secret: SECRET, timeout_seconds: 8 })).body;
}

/** Makes four report cards at once, because each mostly waits. */
async function allCards(): Promise<Map<string, ReportCard>> {
  const cards = new Map<string, ReportCard>();
  const left = [...MISTAKES];
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) cards.set(next[0], await cardOf(next[1]));
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  return cards;
}

const cards = await allCards();

it.each(MISTAKES)('finds that a receiver %s, and reports nothing else', (mistake, _change, found) => {
  const card = cards.get(mistake) as ReportCard;
  const failed = card.checks.filter(({ verdict }) => verdict === 'fail');
  expect(failed.map(({ name }) => name)).toEqual(found);
  for (const { fix, got } of failed)
    expect([fix, got]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
  expect([card.ok, card.failed, card.skipped]).toEqual([false, found.length, 0]);
});
