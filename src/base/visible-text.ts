/** Controls of a terminal (C0, C1 and DEL) but for line ends and tabs, and those that turn the direction of a text. */
const UNSEEN = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text for a terminal: what would move its cursor, colour it or turn its direction is shown as an escape of JSON, and
 * not sent. JSON stays the same JSON.
 */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
