import { bodyDifference } from './body-difference.ts';
import { hmacHex } from './hmac.ts';
import { type Finding, parseHeader } from './parse-header.ts';
import { bodyOf, type WholeDelivery } from './sent-records.ts';

export interface Pasted {
  secret: string;
  header: string;
  body: string;
}

export interface Judgement {
  fits: boolean;
  findings: Finding[];
  t: string;
  /** What v1 has to be with this secret and body. */
  expected: string | undefined;
}

/** How old a signature may be, in seconds. */
const TOLERANCE = 300;
const SECRET = 'whsec_';

/**
 * Judges a signature as a receiver does, and says why it fails. `delivery` is the one that carried this header, if it
 * is on record; `now` is in unix seconds of this machine.
 */
export async function checkSignature(
  pasted: Pasted,
  { delivery, now }: { delivery: WholeDelivery | undefined; now: number },
): Promise<Judgement> {
  const { t, signatures, findings } = parseHeader(pasted.header);
  if (t === '' || signatures.length === 0) return { fits: false, findings, t, expected: undefined };
  const expected = await hmacHex(pasted.secret, `${t}.${pasted.body}`);
  if (!signatures.includes(expected)) {
    const reasons = await whyNot(pasted, { t, signatures, delivery });
    return { fits: false, findings: [...findings, ...reasons], t, expected };
  }
  const age = ageFindings(now - Number(t));
  const fit: Finding = {
    tone: 'good',
    title: 'The signature fits',
    note:
      signatures.length > 1
        ? `One of ${signatures.length} v1 does, and one has to.`
        : 'Secret, time and body are those that were signed.',
  };
  return {
    fits: age.every(({ tone }) => tone !== 'bad'),
    findings: [...findings, fit, ...age],
    t,
    expected,
  };
}

function ageFindings(age: number): Finding[] {
  if (age > TOLERANCE) {
    const note = `It was signed ${age} s ago, and at most ${TOLERANCE} s are accepted: a receiver answers 400. Redeliver it for a new one.`;
    return [{ tone: 'bad', title: 'It is too old', note }];
  }
  if (age < -TOLERANCE) {
    return [{ tone: 'wait', title: 'It is from the future', note: 'Is the clock of one machine wrong?' }];
  }
  return [
    {
      tone: 'good',
      title: 'It is fresh',
      note: `Signed ${Math.max(age, 0)} s ago; at most ${TOLERANCE} s are accepted.`,
    },
  ];
}

interface Case {
  t: string;
  signatures: readonly string[];
  delivery: WholeDelivery | undefined;
}

/** The likeliest reason comes first: what was tried and fits, what the record knows, what the secret looks like. */
async function whyNot(pasted: Pasted, { t, signatures, delivery }: Case): Promise<Finding[]> {
  for (const { secret, text, title, note } of mistakes(pasted, t)) {
    if (signatures.includes(await hmacHex(secret, text))) return [{ tone: 'bad', title, note }];
  }
  const known = delivery ? knownFindings(pasted.body, delivery) : [];
  const looks = secretFindings(pasted.secret);
  if (known.length + looks.length > 0) return [...known, ...looks];
  const note =
    'Take the raw body as it came, before any JSON parser, and the secret of the endpoint that was sent to. No delivery on record has this header.';
  return [{ tone: 'bad', title: 'The signature does not fit', note }];
}

/** What people sign by mistake. */
function mistakes({ secret, body }: Pasted, t: string) {
  const raw = 'Sign the raw body, byte for byte as it came.';
  const bodies: [string, string][] = [
    [body.trimEnd(), 'The body has a line break or blank too many at its end'],
    [`${body}\n`, 'The body lacks the line break at its end'],
    [body.trim(), 'The body has blanks too many around it'],
    [laidOut(body), 'The body was parsed and written again'],
    [laidOut(body, 2), 'The body was parsed and written without its layout'],
  ];
  const altered = bodies
    .filter(([text]) => text !== body)
    .map(([text, title]) => ({ secret, text: `${t}.${text}`, title, note: raw }));
  return [
    ...altered,
    {
      ...{ secret: secret.trim(), text: `${t}.${body}` },
      title: 'The secret has blanks around it',
      note: 'Without them the signature fits.',
    },
    {
      ...{ secret: secret.slice(SECRET.length), text: `${t}.${body}` },
      title: 'It was signed without whsec_',
      note: 'The prefix is part of the secret.',
    },
    {
      ...{ secret, text: body },
      title: 'It was signed without the time',
      note: 'What is signed is t, a full stop and the body.',
    },
  ];
}

function laidOut(body: string, indent?: number): string {
  try {
    return JSON.stringify(JSON.parse(body), null, indent);
  } catch {
    return body;
  }
}

function knownFindings(body: string, delivery: WholeDelivery): Finding[] {
  const difference = bodyDifference(body, bodyOf(delivery));
  if (difference) return [{ tone: 'bad', title: 'The body is not the one that was signed', note: difference }];
  if (delivery.fault === 'bad_signature') {
    return [
      {
        tone: 'bad',
        title: 'No secret fits it',
        note: 'A fault rule spoilt the signature of this delivery: a receiver has to refuse it.',
      },
    ];
  }
  const note = `Header and body are those of ${delivery.id}. Take the secret of its endpoint, ${delivery.endpoint_id}.`;
  return [{ tone: 'bad', title: 'The secret is another one', note }];
}

function secretFindings(secret: string): Finding[] {
  if (secret.startsWith(SECRET)) return [];
  const note = secret.startsWith('svc_sk_')
    ? 'This is an API key. The signing secret was told when the endpoint was made.'
    : 'Was a part of it left out?';
  return [{ tone: 'wait', title: `The secret does not begin with ${SECRET}`, note }];
}
