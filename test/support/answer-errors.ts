import type { Express, NextFunction, Request, Response } from 'express';
import { RequestStamp, stampRequest } from '../../src/http/request-stamp.ts';
import { sendError } from '../../src/http/send.ts';

/** The last layer of an app that a test makes of a part: errors are answered as the whole answers them. */
export function answerErrors(app: Express): void {
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    stampRequest(res, new RequestStamp('req_1', { received: 0, began: 0, volume: 0 }));
    sendError(res, error);
  });
}
