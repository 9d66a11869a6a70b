import type { Express, Request, Response } from 'express';
import { invalid } from '../errors.ts';
import { readBytes } from '../http/body.ts';
import { send } from '../http/send.ts';
import { INBOX_PATH, type Inbox } from '../webhooks/inbox.ts';

/** The largest body that an inbox takes: 8 MiB, more than any delivery has. */
const MOST_BYTES = 8 * 1_048_576;

export const INBOX_ROUTE = `${INBOX_PATH}/:name`;

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The built-in receiver: keeps what it is sent, whatever method and type, and answers 200, or as `?status=` asks. */
export function mountInbox(app: Express, { inbox }: { inbox: Inbox }): void {
  app.all(INBOX_ROUTE, async (request: Request, response: Response) => {
    const name = requireInboxName(String(request.params.name));
    const status = statusOf(request.query.status);
    const { method, originalUrl: path, headers } = request;
    const body = await readBytes(request, MOST_BYTES);
    const { id } = inbox.receive({ inbox: name, method, path, headers, body });
    await send(response, { id, inbox: name }, status);
  });
}

/** Throws `invalid_request`. */
export function requireInboxName(name: string, param = 'name'): string {
  if (NAME.test(name)) return name;
  throw invalid(
    param,
    `The name of an inbox is 1 to 64 letters, digits, dashes or underscores; got ${JSON.stringify(name.slice(0, 80))}.`,
  );
}

function statusOf(given: unknown): number {
  if (given === undefined) return 200;
  if (typeof given === 'string' && /^[2-5]\d\d$/.test(given)) return Number(given);
  throw invalid(
    'status',
    `status is the answer that the inbox shall give, from 200 to 599; got ${JSON.stringify(given).slice(0, 80)}.`,
  );
}
