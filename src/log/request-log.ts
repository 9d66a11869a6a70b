import { type Answered, choicesOfAnswer } from '../package/choice-of-refusal.ts';
import { counted, type Log } from './log.ts';

/** What the log says of a request; `credits` is null for what is not paid. */
interface LoggedRequest extends Answered {
  id: string;
  method: string;
  path: string;
  status: number;
  duration_ms: number;
  credits: number | null;
}

/** Writes one line for each request, with the ids of the choices by which it was refused or a field was ignored. */
export function requestLog(log: Log): (request: LoggedRequest) => void {
  return (request) => {
    const { id, method, path, status, duration_ms, credits } = request;
    const price = credits === null ? '' : `, ${counted(credits, 'credit')}`;
    const choices = choicesOfAnswer(request).join(',');
    log.info(
      { request_id: id, ...(choices && { choice: choices }) },
      `${method} ${path} ${status} in ${duration_ms} ms${price}`,
    );
  };
}
