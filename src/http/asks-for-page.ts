import type { IncomingMessage } from 'node:http';

/** Whether it is a browser that shows a page, and no program that reads JSON. */
export function asksForPage({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') === true;
}
