const ENCODER = new TextEncoder();

/** Browsers compute signatures on pages of this machine, or over https, only. */
export function canSign(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

/** HMAC-SHA256 in hex, computed by the browser. */
export async function hmacHex(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  // An empty key is refused by the browser; one zero byte is the same key.
  const bytes = ENCODER.encode(secret === '' ? '\0' : secret);
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
  const signed = await crypto.subtle.sign('HMAC', key, ENCODER.encode(text));
  return [...new Uint8Array(signed)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
