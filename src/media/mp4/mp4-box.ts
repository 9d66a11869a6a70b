// Own code, as the file that it is part of.
/** A box: its length, its four letters, its parts. */
export function box(type: string, ...parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 8);
  const head = Buffer.allocUnsafe(8);
  head.writeUInt32BE(length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...parts], length);
}

/** A box with a version and flags in its first four bytes. */
export function fullBox(type: string, flags: number, ...parts: Uint8Array[]): Buffer {
  return box(type, words(flags), ...parts);
}

/** Numbers of 32 bits. */
export function words(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, at * 4);
  return bytes;
}

/** Numbers of 16 bits. */
export function shorts(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 2);
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, at * 2);
  return bytes;
}
