// Gives the commands of the bank the emulator of the current run, its account, and the app's state.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fetch } from './plain-fetch.mjs';

const { SVC_BASE_URL: base, SVC_API_KEY: key, PORT: port, SVC_CHECK_DIR: folder = '' } = process.env;
/** The last state of an application that runs only as long as its test. */
const LAST_STATE = path.join(folder, 'last-state.json');

const readState = () => fetch(`http://127.0.0.1:${port}/state`).then((answer) => answer.json());

export async function keepState() {
  writeFileSync(LAST_STATE, JSON.stringify(await readState()));
}

async function control(path) {
  const response = await fetch(`${base}/_emulator${path}`);
  return response.json();
}

/** The account of the run, in the form that `prepare` of a story accepts. */
export async function openAccount() {
  const { data } = await control('/accounts?limit=100');
  const own = data.at(-1);
  return { emulator: { url: base }, account: { id: own.id, workspaceId: own.workspace_id, apiKey: key } };
}

/** Reads everything that the check of a story compares. Call it after all work has ended. */
export async function readEnd(id) {
  const [state, requests, jobs, account] = await Promise.all([
    existsSync(LAST_STATE) ? JSON.parse(readFileSync(LAST_STATE, 'utf8')) : readState(),
    control(`/requests?limit=1000&account_id=${id}`),
    control(`/jobs?limit=1000&account_id=${id}`),
    control(`/accounts/${id}`),
  ]);
  return { state, requests: requests.data, jobs: jobs.data, balance: account.credits };
}

/** Waits until all renders and deliveries have ended. */
export const settled = (id) => control(`/wait?for=idle&timeout=10&account_id=${id}`);

/** The seed of a job, and the start of the SHA-256 of its file, in the form that the applications show. */
export async function fileOf(path, { id }) {
  const headers = { authorization: `Bearer ${key}` };
  const job = await (await fetch(`${base}/v1/${path}/generations/${id}`, { headers })).json();
  const bytes = Buffer.from(await (await fetch(job.result_url)).arrayBuffer());
  return { seed: job.seed, sha: createHash('sha256').update(bytes).digest('hex').slice(0, 16) };
}
