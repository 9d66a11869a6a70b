import type { ServerResponse } from 'node:http';

/** Aborts when the client hangs up before its answer is out. */
export function watchGone(response: ServerResponse): AbortController {
  const controller = new AbortController();
  const end = () => {
    if (!response.writableFinished) controller.abort(new Error('the client has hung up'));
  };
  if (response.destroyed) end();
  response.once('close', end);
  return controller;
}
