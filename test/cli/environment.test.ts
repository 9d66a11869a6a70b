import { expect, it } from 'vitest';
import { commandHere } from '../support/command-here.ts';
import { runCommand } from '../support/run-command.ts';
import { world } from '../support/world.ts';
import { emptyFolder, SpawnedProgram, startProgram } from './spawned-program.ts';

/** Variables from a cluster with services called svc-emulator and svc-emulator-ui, and from a Docker link. */
const CLUSTER = {
  SVC_EMULATOR_SERVICE_HOST: '10.0.0.1',
  SVC_EMULATOR_SERVICE_PORT: '4600',
  SVC_EMULATOR_SERVICE_PORT_HTTP_ADMIN: '4600',
  SVC_EMULATOR_PORT_4600_TCP: 'tcp://10.0.0.1:4600',
  SVC_EMULATOR_PORT_4600_TCP_ADDR: '10.0.0.1',
  SVC_EMULATOR_1_PORT_53_UDP_PROTO: 'udp',
  SVC_EMULATOR_PORT_36412_SCTP: 'sctp://10.0.0.1:36412',
  SVC_EMULATOR_STAGING_NAME: '/web/svc-emulator',
  SVC_EMULATOR_ENV_NODE_ENV: 'production',
  SVC_EMULATOR_UI_PORT: 'tcp://10.0.0.2:80',
};
const TEAM = {
  SVC_EMULATOR_IMAGE: 'registry/svc-emulator',
  SVC_EMULATOR_CREDIT: '5',
  SVC_EMULATOR_TAG: '1',
  SVC_EMULATOR_LOG_LEVEL: '1',
  'SVC_EMULATOR_LINE\nBREAK': '1',
  SVC_EMULATOR_STRICKT: '1',
};
const ADDRESS = { SVC_EMULATOR_PORT: 'tcp://10.0.0.1:4600' };
const TEAM_LINE =
  'svc-emulator: Unknown environment variables have no effect: SVC_EMULATOR_IMAGE, SVC_EMULATOR_CREDIT, SVC_EMULATOR_TAG, SVC_EMULATOR_LOG_LEVEL, SVC_EMULATOR_LINE BREAK, and 1 more. Did you mean SVC_EMULATOR_CREDITS, SVC_EMULATOR_STRICT?';
const ADDRESS_LINE =
  'svc-emulator: SVC_EMULATOR_PORT=tcp://10.0.0.1:4600 is ignored: it is the address of a service, which Kubernetes or Docker set.';

function linesAboutVariables(stderr: string): string[] {
  return stderr.split('\n').filter((line) => /SVC_EMULATOR_/.test(line));
}

const { port } = new URL((await world()).url);

const passing = () => commandHere(async (run) => void (await run.chat()));

it.each<[string, () => string[] | Promise<string[]>]>([
  ['doctor', () => ['doctor', '--port', '0', '--ephemeral', '--json']],
  ['openapi', () => ['openapi']],
  ['python-client', () => ['python-client']],
  ['call', () => ['call', 'getClock', '--port', port]],
  ['trace save', () => ['trace', 'save', `${emptyFolder()}/x.html`, '--port', port]],
  ['verify', () => ['verify', 'http://127.0.0.1:9/', '--secret', 'whsec_x']],
  ['exec', async () => ['exec', '--quiet', '--', ...(await passing())]],
  ['check', async () => ['check', '--budget', '0', '--only', 'lost_response', '--', ...(await passing())]],
])(
  'runs %s as usual although a cluster has set SVC_EMULATOR_ variables, and names other unknown variables in one line',
  async (_, words) => {
    const line = await words();
    const plain = await runCommand(line, {}, emptyFolder());
    const silent = await runCommand(line, CLUSTER, emptyFolder());
    const told = await runCommand(line, { ...CLUSTER, ...TEAM, ...ADDRESS }, emptyFolder());
    expect([silent.exitCode, told.exitCode]).toEqual([plain.exitCode, plain.exitCode]);
    expect(linesAboutVariables(silent.stderr)).toEqual([]);
    expect(linesAboutVariables(told.stderr)).toEqual([ADDRESS_LINE, TEAM_LINE]);
    expect(`${silent.stdout}${told.stdout}`).not.toContain('SVC_EMULATOR_IMAGE');
  },
);

it('starts although SVC_EMULATOR_PORT contains an address that a cluster has set, and says that it ignores this address', async () => {
  const { program, url } = await startProgram(['--ephemeral'], { ...CLUSTER, ...TEAM, ...ADDRESS });
  expect((await fetch(`${url}/_emulator/health`)).status).toBe(200);
  expect(linesAboutVariables(program.stderr)).toEqual([ADDRESS_LINE, TEAM_LINE]);
  expect(linesAboutVariables(program.stdout)).toEqual([]);
});

it('prints the warning about unknown variables on standard error of mcp, and nothing on standard output', async () => {
  const line = ['mcp', '--port', port];
  const program = new SpawnedProgram(line, { ...CLUSTER, ...TEAM, ...ADDRESS });
  await program.heard('stderr', (text) => (text.includes(TEAM_LINE) ? true : undefined));
  await program.stop();
  expect(program.stdout).toBe('');
});
