import { Command } from 'commander';
import { type ConfigOptions, type OptionName, readConfig } from '../config/config.ts';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';
import { addFlags } from './config-flags.ts';
import { type Finding, runChecks } from './doctor-checks.ts';
import { withProgress } from './progress-bar.ts';

/** What decides whether a start would succeed. */
const EXAMINED: readonly OptionName[] = ['port', 'host', 'dataDir', 'ephemeral', 'ffmpeg', 'config'];

interface DoctorFlags extends Pick<ConfigOptions, (typeof EXAMINED)[number]> {
  json?: boolean;
}

/** `svc-emulator doctor`: what a start needs, each with its remedy where it is missing. */
export function doctorCommand(): Command {
  const command = new Command('doctor').description('check that a start would succeed, and why not');
  return addFlags(command, EXAMINED).option('--json', 'print JSON, for a script').action(doctor);
}

async function doctor({ json, ...flags }: DoctorFlags): Promise<void> {
  const config = readConfig(flags);
  const findings = await withProgress('doctor', (progress) => runChecks(config, progress));
  const ok = findings.every((finding) => finding.ok);
  const text = json ? JSON.stringify({ ok, findings }, null, 2) : findings.map(line).join('\n');
  process.stdout.write(`${text}\n`);
  if (!ok) throw new CommandEnd(EXIT.failure);
}

function line({ name, ok, detail }: Finding): string {
  return `${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(14)}  ${detail}`;
}
