import type { IncomingHttpHeaders } from 'node:http';

/** A file's name changes when its bytes do, so it is a strong validator. */
export function entityTag(file: string): string {
  return `"${file}"`;
}

/** Whether the caller has these very bytes already (If-None-Match). */
export function isUnchanged(headers: IncomingHttpHeaders, tag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined) return false;
  return known.split(',').some((one) => {
    const trimmed = one.trim();
    return trimmed === '*' || trimmed.replace(/^W\//, '') === tag;
  });
}

/** The Range header, unless If-Range says that it was meant for other bytes. */
export function rangeHeader(headers: IncomingHttpHeaders, tag: string): string | undefined {
  const condition = headers['if-range'];
  return condition === undefined || condition === tag ? headers.range : undefined;
}
