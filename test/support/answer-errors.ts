import type { ServerResponse } from 'node:http';
import { attachRequestContext, RequestContext, type ServiceRequest } from '../../src/service/http/request.ts';
import { sendError } from '../../src/service/http/send.ts';
import type { Answer } from '../../src/service/http/server.ts';

/** For a server that a test makes of a part: requests are stamped and errors answered as the whole does it. */
export function answerErrors(serve: (request: ServiceRequest, response: ServerResponse) => Promise<void>): Answer {
  return (request, response) => {
    attachRequestContext(response, new RequestContext('req_1', { received: 0, began: 0, generation: 0 }));
    serve(request, response).catch((error: unknown) => sendError(response, error));
  };
}
