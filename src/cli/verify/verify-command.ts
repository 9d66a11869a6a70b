import { Command, InvalidArgumentError, Option } from 'commander';
import { EVENT_TYPES } from '../../engine/webhooks/event-schemas.ts';

const NOTES = `
Exit codes: 0 if every check passes, 1 if one fails, 2 on incorrect usage.`;

export function createVerifyCommand(): Command {
  const secret = new Option('--secret <whsec>', 'sign with this secret').env('SVC_WEBHOOK_SECRET');
  const events = new Option('--events <types...>', 'send only these event types (default: all)');
  return new Command('verify')
    .description('test a webhook receiver with valid, forged, late and repeated deliveries')
    .argument('<url>', 'the URL of the receiver')
    .addOption(secret)
    .addOption(events.choices(EVENT_TYPES))
    .option(
      '--timeout <seconds>',
      'fail a check if its response takes longer than this (0.5 to 30; default: 10)',
      readSeconds,
    )
    .option('--remote', 'allow a receiver at a public https address')
    .option('--json', 'print JSON')
    .option('--junit <file>', 'write JUnit XML')
    .option('--trace <file>', 'write the results as one HTML page')
    .addHelpText('after', NOTES)
    .action(async (url, flags) => {
      const { runVerify } = await import('./verify-run.ts');
      await runVerify(url, flags);
    });
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && seconds >= 0.5 && seconds <= 30) return seconds;
  throw new InvalidArgumentError('a number of seconds from 0.5 to 30');
}
