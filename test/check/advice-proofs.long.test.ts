import { execFileSync, spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { findAdviceForCause } from '../../src/check/advice.ts';
import { checkIdOfFailedScenario, type Failure, PAID_MORE_CODE } from '../../src/check/faults/failed-check.ts';
import type { ScenarioFaults } from '../../src/check/faults/fault-at.ts';
import { FAULTS } from '../../src/check/faults/fault-table.ts';
import { hasUnavoidableLoss } from '../../src/check/faults/judge.ts';
import type { Site } from '../../src/check/faults/site.ts';
import type { AccountClient, EmulatorClient } from '../../src/client/emulator-client.ts';
import { startEmulator } from '../../src/index.ts';
import { emptyFolder, RunningProgram } from '../cli/spawned-program.ts';
import { atEnd } from '../support/at-end.ts';
import { lookUntil } from '../support/look-until.ts';

const SOURCES = path.join(import.meta.dirname, 'bank', 'advice');

interface World {
  emulator: EmulatorClient;
  baseUrl: string;
  apiKey: string;
  id: string;
  workspaceId: string;
}

type Client = (world: World) => Promise<unknown>;
type Clients = Record<string, Client> & { isWholePng(bytes: unknown): boolean };

/** The client programs with their bugs, and a copy that a patch changes as the advice says. */
const FOLDERS = [false, true].map((isPatched) => {
  const folder = emptyFolder();
  cpSync(SOURCES, folder, { recursive: true });
  if (isPatched) execFileSync('patch', ['-s', '-p1', '-i', 'advice.patch'], { cwd: folder });
  return folder;
});
const [buggy, advised] = (await Promise.all(FOLDERS.map((folder) => import(path.join(folder, 'clients.js'))))) as [
  Clients,
  Clients,
];
const emulator = await startEmulator();
atEnd(() => emulator.close());

interface Proof {
  fault: string;
  site: string;
  requests: string;
  isRight(got: unknown): boolean;
}

/** The outcome of a client, the mistakes that the verdict finds, and the deliveries that were refused, as one text. */
async function outcomeOf(client: Client, { fault, site, requests, isRight }: Proof) {
  const account = await emulator.account({ credits: 1000 });
  await arm({ fault, site, requests }, account);
  const world = { ...account, emulator, baseUrl: emulator.baseUrl, apiKey: account.apiKey };
  const { id, workspaceId } = account;
  const ended = client({ ...world, id, workspaceId }).then(
    (got) => (isRight(got) ? 'right' : `wrong: ${String(got).slice(0, 60)}`),
    (error: Error) => (error.cause ? 'reported' : `broke: ${error.message}`),
  );
  const hang = new Promise<string>((resolve) => setTimeout(resolve, HANG_MS, 'hangs').unref());
  const outcome = await Promise.race([ended, hang]);
  await emulator.control.deleteHolds({ accountId: id });
  const { findings } = await account.verdict();
  const mistakes = findings.filter(({ finding }) => finding !== 'uncollected_job').map(({ finding }) => finding);
  const deliveries = await account.deliveries();
  const refused = deliveries.filter(({ responseStatus, fault }) => (responseStatus ?? 0) >= 500 && fault !== 'forged');
  return [outcome, ...mistakes, ...refused.map(({ type }) => `refused ${type}`)].join(', ');
}

const HANG_MS = 20_000;

async function arm({ fault: name, site, requests }: Omit<Proof, 'isRight'>, { id }: AccountClient): Promise<void> {
  const isOfJob = site.startsWith('job ');
  const fault = FAULTS.find((each) => each.name === name && (!isOfJob || each.at.includes('job')));
  const act = fault?.act({ traits: { events: 10 } } as Site);
  if (!act || 'kill' in act) throw new Error(`${name} is no fault of a rule.`);
  const [method, start = ''] = requests.split(' ');
  const take = /^take_fails:(\d)$/.exec(name)?.[1];
  const match = {
    account_id: id,
    path: start,
    ...(take && { take: Number(take) }),
    ...(start.startsWith('/cdn') || start === '/v1' ? {} : { method }),
  };
  if ('hold' in act) await emulator.control.createHold({ match, at: 'answer' } as never);
  else await emulator.control.createFault({ match, ...act } as never);
}

type Harm = Pick<Failure, 'kind' | 'code'>;
const PAID: Harm = { kind: 'spend', code: PAID_MORE_CODE };
const [REJECTED, BOOKS]: Harm[] = [{ kind: 'receiver' }, { kind: 'check' }];

const is = (wanted: unknown) => (got: unknown) => got === wanted;
const isReply = (got: unknown) => String(got).length > 10 && got !== 'I see nothing.';
const hasOwnEvent = (got: unknown) => {
  const { id, kept } = got as { id: string; kept: { data: { id: string } }[] };
  return kept.length === 1 && kept[0]?.data.id === id;
};
const isPng = (got: unknown) => buggy.isWholePng(got);
const [CHAT, IMAGE, SONG] = ['POST /v1/chat/completions', 'POST /v1/images/generations', 'POST /v1/music/generations'];
const [JOB, FILE, EVENT] = ['GET /v1/music/generations', 'GET /cdn', 'delivery music.generation.succeeded'];

/** Client, fault, site as `check` names it, requests that the fault affects, test of the result, and harm. */
const PROOFS: readonly [string, string, string, string, (got: unknown) => boolean, Harm?][] = [
  ['readsOnce', 'lost_response', 'GET /v1/account', 'GET /v1/account', is(1000)],
  ['paysAgain', 'lost_response', IMAGE, IMAGE, is(10), PAID],
  ['waitsTooLong', 'slow', CHAT, CHAT, isReply],
  ['losesSongs', 'lost_response', SONG, SONG, is('succeeded')],
  ['subscribesAgain', 'lost_response', 'POST /v1/webhooks', 'POST /v1/webhooks', is(true)],
  ['invents', 'lost_response', CHAT, CHAT, isReply],
  ['invents', 'lost_request', CHAT, CHAT, isReply],
  ['keepsErrors', 'status:503', FILE, FILE, isPng],
  ['givesUpAtOnce', 'status:429', CHAT, CHAT, isReply],
  ['believesErrors', 'status:500', JOB, JOB, is('succeeded')],
  ['givesUpAtOnce', 'status:500', CHAT, CHAT, isReply],
  ['sumsUp', 'swapped', CHAT, CHAT, is(998)],
  ['booksByPosition', 'key_order', 'responses', '/v1 /v1', is(0), BOOKS],
  ['asksAgainWithoutCredits', 'empty_balance', CHAT, CHAT, isReply],
  ['refundsBothTakes', 'take_fails:1', 'job music', SONG, is(3)],
  ['keepsTheMoney', 'fails', 'job music', SONG, is(0)],
  ['refusesFailures', 'fails', 'job music', SONG, is('failed'), REJECTED],
  ['keepsTheMoney', 'blocked', 'job music', SONG, is(0)],
  ['believesForgeries', 'forged', EVENT, SONG, hasOwnEvent],
  ['believesOldEvents', 'replayed', EVENT, SONG, hasOwnEvent],
  ['serializesAgain', 'spelled', EVENT, SONG, hasOwnEvent],
  ['readsOneProof', 'two_proofs', EVENT, SONG, hasOwnEvent],
  ['refusesUnknownTypes', 'unknown_type', 'endpoint', SONG, hasOwnEvent],
  ['keepsTwice', 'duplicate', EVENT, SONG, hasOwnEvent],
  ['trustsEvents', 'lost', EVENT, SONG, is('succeeded')],
  ['givesUpOnLateEvents', 'late', EVENT, SONG, is('succeeded')],
  ['refusesOlderEvents', 'reorder', EVENT, SONG, is('succeeded,succeeded'), REJECTED],
  ['pollsThrice', 'late', 'job music', SONG, is('succeeded')],
  ['stopsReading', 'late_end', 'job music', SONG, is('succeeded')],
  ['forgetsEarlyEvents', 'instant', 'job music', SONG, is(true)],
  ['doubtsEvents', 'unpolled', 'job music', SONG, is('succeeded')],
  ['keepsOldUrls', 'expired', FILE, FILE, is(200)],
  ['keepsImageUrls', 'expired', 'GET /cdn (image)', FILE, isPng],
  ['believesTypes', 'wrong_type', FILE, FILE, is('audio/mpeg')],
  ['keepsDamage', 'flipped', FILE, FILE, isPng],
  ['keepsHalves', 'truncated', FILE, FILE, isPng],
  ['takesHalfReplies', 'cut:first', CHAT, CHAT, isReply],
  ['repeatsCutReplies', 'cut:first', CHAT, CHAT, is(999)],
  ['countsFields', 'key_order', 'responses', '/v1 /v1', is(999)],
  ['matchesText', 'spelling', 'responses', '/v1 /v1', is(999)],
  ['trustsLengths', 'chunked', 'responses', '/v1 /v1', is(1000)],
  ['mindsCase', 'headers', 'responses', '/v1 /v1', is(true)],
  ['decodesParts', 'stream_cut', 'responses', '/v1 /v1', isReply],
  ['readsMessages', 'message', 'responses', '/v1 /v1', is('unknown')],
  ['buildsUrls', 'cdn_path', 'responses', '/v1 /v1', is(200)],
  ['pollsOnce', 'one_more_poll', 'responses', '/v1 /v1', is('succeeded')],
];

const NOTHING = { requests: [], jobs: [], deliveries: [], ledger: [], findings: [] };

/** A client may report an empty balance to its caller, and a loss that it cannot avoid. */
function goodOutcomes(scenario: ScenarioFaults): string[] {
  return ['right', 'broke: 402: insufficient_credits', ...(hasUnavoidableLoss(scenario, NOTHING) ? ['reported'] : [])];
}

function adviceOn(fault: string, site: string, harm: Harm = { kind: 'exit' }): string | undefined {
  const scenario = [{ site: `${site} #1`, fault }];
  return findAdviceForCause({ scenario, check: checkIdOfFailedScenario({ scenario, ...harm }), ...harm });
}

it.each(PROOFS)(
  'gives advice on a client (in the test: %s) that fails under the fault %s at %s; a version that follows the advice does not fail',
  async (name, fault, site, requests, isRight, harm) => {
    expect(adviceOn(fault, site, harm)).toBeDefined();
    const [before, after] = [buggy[name], advised[name]] as [Client, Client];
    const good = goodOutcomes([{ site: `${site} #1`, fault }]);
    expect(good).not.toContain(await outcomeOf(before, { fault, site, requests, isRight }));
    expect(good).toContain(await outcomeOf(after, { fault, site, requests, isRight }));
  },
);

/** Kills an app while a response to it is held, restarts it, and returns its output and the credits spent. */
async function afterKill(folder: string, name: string, method: 'GET' | 'POST'): Promise<string> {
  const account = await emulator.account({ credits: 1000 });
  const env = { ...process.env, SVC_BASE_URL: emulator.baseUrl, SVC_API_KEY: account.apiKey };
  const file = path.join(emptyFolder(), 'state.json');
  const start = (...words: string[]) =>
    new RunningProgram(spawn(process.execPath, ['keepers.js', name, file, ...words], { cwd: folder, env }));
  const match = { account_id: account.id, method, path: '/v1/music/generations' };
  const { id } = await emulator.control.createHold({ match, at: 'answer' });
  const app = start('order');
  const isHeld = (hold: { id: string; held: readonly unknown[] }) => hold.id === id && hold.held.length > 0;
  await lookUntil(async () => (await emulator.control.listHolds({})).some(isHeld));
  await app.stop('SIGKILL');
  await emulator.control.releaseHold({ id });
  const again = start();
  await again.ended();
  return `${again.stdout.trim()}, ${1000 - (await account.balance())} credits`;
}

it.each<[string, string, string, 'GET' | 'POST', Harm | undefined]>([
  ['forgets its order', 'forgets', 'kill:during', 'GET', undefined],
  ['orders again', 'ordersAgain', 'kill:during', 'POST', PAID],
])(
  'gives advice on an app that %s (in the test: %s) under the fault %s at a %s request, which a change that follows the advice corrects',
  async (_, name, fault, method, harm) => {
    expect(adviceOn(fault, `${method} /v1/music/generations`, harm)).toBeDefined();
    const [before = '', after = ''] = await Promise.all(FOLDERS.map((folder) => afterKill(folder, name, method)));
    expect([before === after, after]).toEqual([false, 'succeeded, 3 credits']);
  },
);
