import { z } from 'zod';
import { CONTROL_OPERATIONS } from '../../src/control/control-routes.ts';

/** The strict schema of each answer of the control surface, by method and path; a path of its own comes before a parameter. */
const ANSWERS = CONTROL_OPERATIONS.flatMap(({ method, path, answer, name }) =>
  answer instanceof z.ZodType
    ? [
        {
          method,
          name,
          answer,
          pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
          isOwn: !path.includes(':'),
        },
      ]
    : [],
).toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn));

/** Throws for an answer of the control surface that its one schema does not describe to the last field. */
export function requireRecord(method: string, url: string, { status, body }: { status: number; body: unknown }): void {
  const { pathname } = new URL(url);
  if (status >= 300 || body === undefined || !pathname.startsWith('/_emulator/')) return;
  const known = ANSWERS.find((each) => each.method === method && each.pattern.test(pathname));
  const read = known?.answer.safeParse(body);
  if (known && read && !read.success) {
    throw new Error(`${known.name} answers what its record does not say:\n${z.prettifyError(read.error)}`);
  }
}
