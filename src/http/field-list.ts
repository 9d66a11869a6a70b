/** A header holds at most this many bytes of field paths. */
const MOST = 4096;

/**
 * Field paths as a header: comma-separated, a reason after a semicolon (`prompt;handle=mira`),
 * percent-encoded beyond ASCII and for comma and semicolon within a part. What does not fit is left out.
 */
export class FieldList {
  text = '';
  #isFull = false;

  /** Answers whether the field was taken; once one does not fit, no other is: a body may have a million. */
  add(field: string): boolean {
    if (this.#isFull) return false;
    const longer = this.text === '' ? encodeField(field) : `${this.text},${encodeField(field)}`;
    this.#isFull = longer.length > MOST;
    if (!this.#isFull) this.text = longer;
    return !this.#isFull;
  }
}

/** The first semicolon parts path and reason; the path itself may hold any character. */
function encodeField(field: string): string {
  const cut = field.lastIndexOf('\u0000');
  if (cut === -1) return encodePart(field);
  return `${encodePart(field.slice(0, cut))};${encodePart(field.slice(cut + 1))}`;
}

/** A field and why it was ignored, as one entry of a field list. */
export function withReason(field: string, reason: string): string {
  return `${field}\u0000${reason}`;
}

function encodePart(part: string): string {
  return part.toWellFormed().replace(/[^\x21-\x7e]|[,;%]/gu, encodeURIComponent);
}
