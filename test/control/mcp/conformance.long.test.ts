import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';
import { canFetchNode, fetchMcpConformance, fetchNode } from '../../../scripts/other-node.mjs';
import { world } from '../../support/world.ts';

const emulator = await world();

/** What fails in both revisions: it asks for tools, resources and prompts of a sample server, which are none of ours. */
const SAMPLES = [
  ...['tools-call-audio', 'tools-call-embedded-resource', 'tools-call-image', 'tools-call-mixed-content'],
  ...['tools-call-with-progress', 'resources-read-binary', 'resources-read-text', 'resources-templates-read'],
  ...['prompts-get-embedded-resource', 'prompts-get-simple', 'prompts-get-with-args', 'prompts-get-with-image'],
  'json-schema-2020-12',
];
/** The server has neither prompts nor completions, and does not say that it has. */
const NOT_OFFERED = ['prompts-list', 'completion-complete'];

const REVISIONS: Record<string, readonly string[]> = {
  '2025-11-25': [
    ...['tools-call-elicitation', 'tools-call-sampling', 'tools-call-with-logging'],
    ...['elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
    // Logging and subscriptions, which are not offered either.
    ...['logging-set-level', 'resources-subscribe', 'resources-unsubscribe'],
  ],
  '2026-07-28': [
    // One of its 28 checks, with the status of its answer, calls a tool of the sample server.
    'server-stateless',
    // One of its eight lists prompts.
    'caching',
    'http-custom-header-server-validation',
    ...[
      ...['basic-elicitation', 'basic-list-roots', 'basic-sampling', 'capability-check', 'multi-round'],
      ...['multiple-input-requests', 'non-tool-request', 'request-state', 'result-type', 'tampered-state'],
    ].map((name) => `input-required-result-${name}`),
    // An extension that is not offered.
    ...[
      ...['capability-negotiation', 'dispatch-and-envelope', 'lifecycle', 'mrtr-composition', 'mrtr-input'],
      ...['request-headers', 'request-state-removal', 'required-task-error', 'wire-fields'],
    ].map((name) => `tasks-${name}`),
  ],
};

it.runIf(canFetchNode).each(Object.entries(REVISIONS))(
  'passes the official scenarios of revision %s of the Model Context Protocol, except those for a sample server or for parts not offered',
  async (revision, others) => {
    const line = ['server', '--url', `${emulator.url}/_emulator/mcp`, '--requirements', revision];
    const output = await outputOf(fetchNode('22').node, [fetchMcpConformance(), ...line]);
    const scenarios = [...output.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed$/gm)];
    const failed = scenarios.filter(([, sign]) => sign === '✗').map(([, , name]) => name);
    expect(failed.toSorted()).toEqual([...SAMPLES, ...NOT_OFFERED, ...others].toSorted());
    expect(scenarios.length - failed.length).toBeGreaterThanOrEqual(9);
  },
);

/** Whatever it ends with: it fails when a scenario does. */
function outputOf(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => execFile(command, args, (_error, stdout) => resolve(stdout)));
}
