const ENTITY: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Text for XML, with spaces for the control characters that it cannot hold. */
export function xmlText(text: string): string {
  return Array.from(text, (sign) => (sign < ' ' ? ' ' : (ENTITY[sign] ?? sign))).join('');
}
