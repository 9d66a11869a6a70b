import { SpelledText } from './spelled-text.ts';

/** A shorter secret is masked only as a word of its own, in text that a person wrote. */
const SHORTEST_ANYWHERE = 6;
/** What is left of a secret without its spelling, and shorter, would be found everywhere. */
const SHORTEST = 3;

/** How deep JSON may be nested in JSON strings, for what means something else once its escapes are read. */
const DEPTHS = 3;

/** What a secret is looked for as, in small letters. */
interface SecretForms {
  /** Anywhere, and as a word of its own. */
  anywhere: string[];
  asWord: string[];
  /** Letters and digits of its bytes as base64 and hex, anywhere. */
  encoded: string[];
}

export function secretForms(secrets: readonly string[]): SecretForms {
  const forms: SecretForms = { anywhere: [], asWord: [], encoded: [] };
  const reading = new SpelledText();
  for (const secret of secrets) {
    const spelled = [...spellings(secret, reading), ...meanings(secret, reading)];
    for (const form of spelled) {
      if (Math.min(form.length, secret.length) < SHORTEST_ANYWHERE) forms.asWord.push(form);
      else forms.anywhere.push(form);
    }
    if (secret.length >= SHORTEST_ANYWHERE) forms.encoded.push(...encodings(secret, reading));
  }
  return forms;
}

/** As it is, and as JSON has it. */
function spellings(secret: string, reading: SpelledText): string[] {
  const found = new Set<string>();
  for (let [text, depth] = [secret, 0]; depth <= DEPTHS; depth += 1) {
    reading.readPlain(text);
    found.add(reading.toString());
    text = JSON.stringify(text).slice(1, -1);
  }
  return [...found];
}

/** Its escapes read, or its backslashes as what they are: left out, as those of a text are. */
function meanings(secret: string, reading: SpelledText): string[] {
  return [secret, secret.replaceAll('\\', '')]
    .map((text) => {
      reading.read(text);
      return reading.toString();
    })
    .filter(({ length }) => length >= SHORTEST);
}

function encodings(secret: string, reading: SpelledText): string[] {
  const bytes = Buffer.from(secret);
  return [bytes.toString('hex'), ...inBase64(bytes)]
    .map((encoded) => {
      reading.readPlain(encoded);
      reading.condense();
      return reading.toString();
    })
    .filter(({ length }) => length >= SHORTEST_ANYWHERE);
}

/** Base64 encodes three bytes at a time: what comes before decides in which of three ways bytes are written; its rims are its neighbours'. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}
