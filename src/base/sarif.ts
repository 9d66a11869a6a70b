/** What a result of SARIF says, and where. */
export interface SarifResult {
  ruleId: string;
  level: 'error' | 'warning';
  text: string;
  file: string | undefined;
  line: number | undefined;
  /** By which it is the same in the next run. */
  fingerprint: string;
}

interface SarifRun {
  /** The command of this program that writes it. */
  of: string;
  version: string;
  exit: number;
  command: string;
  rules: readonly object[];
  results: readonly SarifResult[];
}

/** A report as SARIF, of one run. */
export function printSarifRun({ of, version, exit, command, rules, results }: SarifRun): string {
  const driver = { name: `svc-emulator ${of}`, version, informationUri: HOME, rules };
  const invocation = { executionSuccessful: exit < 2, exitCode: exit, commandLine: command };
  const run = { tool: { driver }, invocations: [invocation], results: results.map(sarifOf) };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

const HOME = 'https://www.npmjs.com/package/svc-emulator';
const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

function sarifOf({ ruleId, level, text, file, line, fingerprint }: SarifResult): object {
  const region = line === undefined ? {} : { region: { startLine: line } };
  const artifactLocation = { uri: file?.split('\\').join('/') };
  return {
    ...{ ruleId, level, message: { text } },
    ...(file === undefined ? {} : { locations: [{ physicalLocation: { artifactLocation, ...region } }] }),
    partialFingerprints: { 'lieSiteUnit/v1': fingerprint },
  };
}
