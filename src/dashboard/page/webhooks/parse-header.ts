import type { Tone } from '../pieces/status-badge.tsx';

/** One thing that was found out about a signature. */
export interface Finding {
  tone: Tone;
  title: string;
  note?: string;
}

export interface SignatureHeader {
  t: string;
  /** The signatures of version 1, of which one has to fit. */
  signatures: string[];
  findings: Finding[];
}

const PREFIX = /^\s*svc-signature\s*:\s*/i;
const HEX = /^[0-9a-f]{64}$/;

/** Takes a pasted header apart, and says what is odd about it. */
export function parseHeader(pasted: string): SignatureHeader {
  const findings: Finding[] = [];
  const value = pasted
    .replace(PREFIX, '')
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2');
  const parts = value.split(',').map((part) => part.trim().split('='));
  const valuesOf = (name: string) => parts.flatMap(([key, given]) => (key === name && given ? [given] : []));
  const [t = ''] = valuesOf('t');
  const signatures = valuesOf('v1');
  findings.push(...timeFindings(t), ...versionFindings(signatures, parts));
  return { t, signatures, findings };
}

function timeFindings(t: string): Finding[] {
  if (t === '') {
    const note = 'The header reads t=<unix seconds>,v1=<hex>. Paste all of it.';
    return [{ tone: 'bad', title: 'The header has no t', note }];
  }
  if (/^\d{13}$/.test(t)) {
    const note = 'It has 13 digits, where seconds have 10. Do not convert it: sign with t as it came.';
    return [{ tone: 'bad', title: 't is in milliseconds', note }];
  }
  if (/^\d{1,12}$/.test(t)) return [];
  return [{ tone: 'bad', title: 't is no number', note: `It reads ${t.slice(0, 40)}.` }];
}

function versionFindings(signatures: readonly string[], parts: readonly string[][]): Finding[] {
  if (signatures.length === 0) {
    const others = parts.map(([name]) => name).filter((name) => name !== 't' && name !== '');
    const note = others.length > 0 ? `There is ${others.join(', ')}.` : 'Paste the whole header.';
    return [{ tone: 'bad', title: 'The header has no v1', note }];
  }
  const odd = signatures.find((each) => !HEX.test(each));
  if (odd === undefined) return [];
  return [
    {
      tone: 'bad',
      title: 'v1 is no signature',
      note: `${shapeOf(odd)} 64 digits of lower-case hex are expected.`,
    },
  ];
}

function shapeOf(signature: string): string {
  if (/^[0-9A-Fa-f]{64}$/.test(signature)) return 'It is in capitals.';
  if (/^[0-9a-f]+$/.test(signature)) return `It has ${signature.length} digits: a part is missing.`;
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(signature)) return 'It looks like Base64.';
  return 'It is not hex.';
}
