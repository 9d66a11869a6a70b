import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/clock.ts';
import { Random } from '../../../src/base/random.ts';
import { makeReportCard } from '../../../src/control/receiver/report-card.ts';
import { EVENT_TYPES } from '../../../src/engine/webhooks/event-schemas.ts';
import { pageReceivers, runReceiver } from '../../docs/page-receivers.ts';
import { sampleOf } from '../../support/sample.ts';

const parts = { clock: new VirtualClock(), random: new Random() };
const receiver = pageReceivers().get('node-receiver.mjs') ?? '';
const SECRET = 'whsec_of_the_test';
const PARSED = 'const event = JSON.parse(body);\n';

/** A mistake: what it does to the documented receiver, and which checks find it. */
const MISTAKES: [mistake: string, from: string, to: string, found: string[]][] = [
  [
    'does not check the signature',
    'return fits && Date',
    'return Date',
    ['bad_signature', 'altered_byte', 'moved_timestamp', 'short_signature'],
  ],
  [
    'verifies JSON that it parsed and wrote again',
    "request.headers['svc-signature'] ?? '', body)",
    "request.headers['svc-signature'] ?? '', JSON.stringify(JSON.parse(body)))",
    ['other_spelling'],
  ],
  ['does not check the time', ' && Date.now() / 1000 - t <= 300', '', ['old_timestamp']],
  ['takes the first v1 only', "valuesOf('v1').some", "valuesOf('v1').slice(0, 1).some", ['second_of_two_signatures']],
  ['is too slow for large bodies', PARSED, `${PARSED}if (body.length > 1_000_000) return;\n`, ['large_body']],
  [
    'fails on types that it does not know',
    PARSED,
    `${PARSED}if (!${JSON.stringify(EVENT_TYPES)}.includes(event.type)) throw new Error('unknown');\n`,
    ['unknown_type'],
  ],
  [
    'rejects fields that it does not know',
    PARSED,
    `${PARSED}if (Object.keys(event).length > 4) return response.writeHead(422).end();\n`,
    ['unknown_fields'],
  ],
  [
    'answers 409 to what it has handled already',
    PARSED,
    `${PARSED}if (handled.has(event.id)) return response.writeHead(409).end();\n`,
    ['duplicate'],
  ],
  [
    'fails on a v1 of another length',
    'sent.length === expected.length && timingSafeEqual',
    'timingSafeEqual',
    ['short_signature'],
  ],
  [
    'goes by the order of arrival',
    PARSED,
    `${PARSED}if (event.created < (globalThis.last ?? 0) - 30) return response.writeHead(409).end();\nglobalThis.last = event.created;\n`,
    ['out_of_order'],
  ],
  [
    'waits 100 ms at most for a body',
    'const chunks = [];',
    'setTimeout(() => { if (!request.complete) response.writeHead(408).end(); }, 100);\nconst chunks = [];',
    ['slow_body'],
  ],
];

it.each(sampleOf(MISTAKES, 4))(
  'finds that a receiver %s, and blames nothing else',
  { timeout: 30_000 },
  async (_mistake, from, to, found) => {
    expect(receiver.split(from)).toHaveLength(2);
    const { url } = await runReceiver('node-receiver.mjs', receiver.replace(from, to), SECRET);
    const card = await makeReportCard(parts, { url, secret: SECRET, timeoutSeconds: 2 });
    const failed = card.checks.filter(({ verdict }) => verdict === 'fail');
    expect(failed.map(({ name }) => name)).toEqual(found);
    for (const { mend, got } of failed) expect([mend, got]).toEqual([expect.any(String), got]);
    expect([card.ok, card.failed, card.skipped]).toEqual([false, found.length, 0]);
  },
);
