const MAX_HEADER = 4096;
const MAX_NAMED = 20;
const MAX_LENGTH = 64;

/**
 * Field paths as a header: separated by commas, each with its reasons after semicolons (`prompt;handle=mira`),
 * percent-encoded where needed. Paths that do not fit are counted: `and 3 more` [I208].
 */
export class FieldListHeaderBuilder {
  #named = '';
  #names = 0;
  #others = 0;

  /** Takes all unknown fields of a body in one call, because there may be 100,000. */
  add(fields: readonly string[]): this {
    const named = fields.findIndex((field) => !this.#name(field));
    if (named !== -1) this.#others += fields.length - named;
    return this;
  }

  get text(): string {
    if (this.#others === 0) return this.#named;
    return `${this.#named}${this.#named && ','}and ${this.#others} more`;
  }

  #name(field: string): boolean {
    if (this.#others > 0 || this.#names === MAX_NAMED) return false;
    const longer = `${this.#named}${this.#named && ','}${encodeField(field)}`;
    if (longer.length > MAX_HEADER - ROOM) return false;
    this.#named = longer;
    this.#names += 1;
    return true;
  }
}

const ROOM = 24;

/** In the header, the first semicolon ends the path, so one in the path itself is encoded. */
function encodeField(field: string): string {
  const cut = field.lastIndexOf('\u0000');
  if (cut === -1) return encodePart(field);
  const reasons = field
    .slice(cut + 1)
    .split('\n')
    .map(encodePart);
  return [encodePart(field.slice(0, cut)), ...reasons].join(';');
}

export function packFieldWithReason(field: string, reason: string): string {
  return packFieldWithReasons(field, [reason]);
}

export function packFieldWithReasons(field: string, reasons: readonly string[]): string {
  return `${field}\u0000${reasons.join('\n')}`;
}

function encodePart(part: string): string {
  return shortened(part)
    .toWellFormed()
    .replace(/[^\x21-\x7e]|[,;%]/gu, encodeURIComponent);
}

function shortened(part: string): string {
  if (part.length <= MAX_LENGTH) return part;
  const letters = [...part.slice(0, 2 * MAX_LENGTH + 2)];
  return letters.length > MAX_LENGTH ? `${letters.slice(0, MAX_LENGTH).join('')}…` : part;
}
