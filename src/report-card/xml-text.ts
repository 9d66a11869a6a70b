const ENTITY: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Of what XML cannot hold, and of line ends and tabs, which an attribute does not keep. */
const NOT_HELD = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u;

/** Text for XML, with spaces for the characters that it cannot hold. */
export function xmlText(text: string): string {
  return Array.from(text, (sign) => (NOT_HELD.test(sign) ? ' ' : (ENTITY[sign] ?? sign))).join('');
}
