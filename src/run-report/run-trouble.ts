import type { ControlConnection } from '../client/control-connection.ts';

/** Lines at most that say why a run may have failed. */
const MOST_LINES = 20;
/** Of each kind, so that no kind hides another. */
const MOST_OF_A_KIND = 6;
const LONGEST = 300;

interface Asked {
  id: string;
  account_id: string | null;
  method: string;
  path: string;
  status: number;
  answer: string | null;
}

interface Worked {
  id: string;
  account_id: string;
  status: string;
  model: string;
  error?: { code: string; message: string };
}

interface Sent {
  id: string;
  type: string;
  url: string;
  status: string;
  response_status: number | null;
  error: string | null;
}

/**
 * What went wrong in a run, for the output of its CI job: requests that were refused, jobs that failed, deliveries that
 * were not answered 2xx; oldest first, at most 20 lines with the one that says where the rest is. Empty when all went well.
 */
export async function findTrouble(control: ControlConnection): Promise<string[]> {
  const [requests, jobs, deliveries] = await Promise.all([
    control.list<Asked>('/requests'),
    control.list<Worked>('/jobs'),
    control.list<Sent>('/deliveries'),
  ]);
  const kinds = [
    requests.filter(({ status }) => status >= 400).map(refusedLine),
    jobs.filter(({ status }) => status === 'failed').map(failedLine),
    deliveries.filter(({ status }) => status === 'failed').map(unheardLine),
  ];
  const shown = kinds.flatMap((lines) => lines.reverse().slice(-MOST_OF_A_KIND));
  const left = kinds.flat().length - shown.length;
  if (left <= 0) return shown.slice(0, MOST_LINES);
  return [...shown, `… and ${left} more: --keep FOLDER keeps them all, for svc-emulator start --data-dir FOLDER`];
}

function refusedLine({ id, account_id: account, method, path, status, answer }: Asked): string {
  const by = account ? ` by ${account}` : '';
  return cut(`${method} ${path} -> ${status} ${errorOf(answer)} (${id}${by})`);
}

function failedLine({ id, account_id: account, model, error }: Worked): string {
  return cut(`job ${id} of ${account} failed: ${model}, ${error?.code}: ${error?.message}`);
}

function unheardLine({ id, type, url, response_status: status, error }: Sent): string {
  return cut(`${type} to ${url}: ${error ?? `answered ${status}`} (${id})`);
}

function errorOf(answer: string | null): string {
  try {
    const { error } = JSON.parse(answer ?? '');
    return `${error.code}: ${error.message}`;
  } catch {
    return '';
  }
}

function cut(line: string): string {
  const plain = line.replace(/\s+/g, ' ');
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST - 1)}…` : plain;
}
