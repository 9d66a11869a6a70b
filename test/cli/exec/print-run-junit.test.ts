import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { emptyFolder } from '../spawned-program.ts';

interface JunitCase {
  name: string;
  failures: { message: string; text: string }[];
}

interface JunitFile {
  root: Record<string, string>;
  suites: { counts: Record<string, string>; cases: JunitCase[] }[];
}

/** Reads JUnit as a CI provider does, with an XML parser that rejects malformed files. */
const READER = `
import json, sys
from xml.etree import ElementTree
root = ElementTree.parse(sys.argv[1]).getroot()
failures = lambda case: [{"message": each.get("message"), "text": each.text or ""} for each in case.findall("failure")]
cases = lambda suite: [{"name": case.get("name"), "failures": failures(case)} for case in suite.findall("testcase")]
print(json.dumps({"root": root.attrib, "suites": [{"counts": suite.attrib, "cases": cases(suite)} for suite in root]}))`;

function countsOf(cases: readonly JunitCase[]) {
  const failures = cases.flatMap((each) => each.failures).length;
  return { tests: `${cases.length}`, failures: `${failures}` };
}

it('reports a killed command as failed in JUnit, with its signal and last 30 lines without colors, and a failed gate as another failure [I269]', async () => {
  const script = `for line in $(seq 40); do echo "line $line"; done
printf '\\033[31m<red> & "quoted" ]]>\\033[0m \\000\\357\\277\\277\\n'
kill -KILL $$`;
  const xml = path.join(emptyFolder(), 'spend.xml');
  const flags = ['--quiet', '--report', xml, '--min-requests', '1'];
  const { exitCode } = await runCommand(['exec', ...flags, '--', 'sh', '-c', script]);
  const { root, suites }: JunitFile = JSON.parse(execFileSync('python3', ['-c', READER, xml], { encoding: 'utf8' }));
  for (const { counts, cases } of suites) expect(counts).toMatchObject(countsOf(cases));
  expect(root).toMatchObject(countsOf(suites.flatMap(({ cases }) => cases)));
  expect([exitCode, root.failures]).toEqual([137, '2']);
  const [command, spend, gate] = suites[0]?.cases ?? [];
  expect(command?.failures[0]?.message).toMatch(/ ended with exit code 137 \(SIGKILL\)\.$/);
  const lines = command?.failures[0]?.text.split('\n') ?? [];
  expect(lines).toHaveLength(30);
  expect([lines[0], lines.at(-2)]).toEqual(['line 12', 'line 40']);
  expect(lines.at(-1)?.trimEnd()).toBe('<red> & "quoted" ]]>');
  expect(spend).toEqual({ name: 'spend is counted', failures: [] });
  expect(gate).toMatchObject({
    name: '--min-requests',
    failures: [{ message: expect.stringMatching(/^The run made 0 /) }],
  });
});
