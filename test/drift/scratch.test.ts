import { appendFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'vitest';
import { LIES } from '../../src/faults/lies/lie-table.ts';
import { world } from '../support/world.ts';
import { drift } from './stand-in.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'drift-'));
const standIn = await world();
it('scratch', async () => {
  for (const { name, family, rule: rules } of LIES) {
    if (
      /^(field|refund|hook|event|file|run|url|list.foreign|key.any|role|store|delete.kept|charge.blocked|charge.one_take|charge.store)/.test(
        name,
      )
    )
      continue;
    const account = await standIn.account({ credits: 500 });
    const { status, body } = await standIn.control('POST', '/faults', {
      match: { account_id: account.id },
      effect: { lie: name },
    });
    const began = Date.now();
    const { exitCode, found, report } = await drift(folder, { url: standIn.url, key: account.key }, ['--budget', '30']);
    await standIn.control('DELETE', `/faults/${body.id}`);
    const missed = report.results.filter((r) => r.outcome === 'not_measured').map((r) => `${r.operation}:${r.there}`);
    appendFileSync(
      '/tmp/de/lies.txt',
      `${name} | ${family} | ${rules} | ${status} exit ${exitCode} ${Date.now() - began} ms | ${[...new Set(found)].join('; ')} | ${missed.length} ${missed.slice(0, 3)}\n`,
    );
  }
}, 1_200_000);
