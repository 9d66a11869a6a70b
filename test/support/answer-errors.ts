import type { ServerResponse } from 'node:http';
import { attachRequestContext, RequestContext } from '../../src/http/request-context.ts';
import { sendError } from '../../src/http/send.ts';
import type { Answer } from '../../src/http/server.ts';
import type { ServiceRequest } from '../../src/http/service-request.ts';

/** For a server that a test makes of a part: errors are answered as the whole answers them. */
export function answerErrors(serve: (request: ServiceRequest, response: ServerResponse) => Promise<void>): Answer {
  return (request, response) => {
    serve(request, response).catch((error: unknown) => {
      attachRequestContext(response, new RequestContext('req_1', { received: 0, began: 0, volume: 0 }));
      sendError(response, error);
    });
  };
}
