import { z } from 'zod';
import { CONTROL_OPERATIONS } from '../../src/control/control-routes.ts';

/** The strict response schema of each control operation. Fixed paths come before paths with parameters. */
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

/** Throws if the response of a control operation does not match its schema exactly. */
export function requireRecord(method: string, url: string, { status, body }: { status: number; body: unknown }): void {
  const { pathname } = new URL(url);
  if (status >= 300 || body === undefined || !pathname.startsWith('/_emulator/')) return;
  const known = ANSWERS.find((each) => each.method === method && each.pattern.test(pathname));
  const read = known?.answer.safeParse(body);
  if (known && read && !read.success) {
    throw new Error(`${known.name} answers what its record does not say:\n${z.prettifyError(read.error)}`);
  }
}
