import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readPage } from './follow-page.ts';
import { namedBlocks } from './page-code.ts';
import { folderWithProgram, type ReaderFolder } from './terminal.ts';

const PAGE = readPage('docs/go.md');
const FILES = namedBlocks(PAGE, 'go');
const [CLIENT = '', SUITE = ''] = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, line]) => line ?? '');

const [, minor] = /go1\.(\d+)/.exec(spawnSync('go', ['version'], { encoding: 'utf8' }).stdout ?? '') ?? [];
const reason = minor === undefined ? ' (skipped: there is no go on the PATH)' : ` (with Go 1.${minor})`;

/** The module of the page's reader, in which `svc-emulator` is installed. */
async function pageModule(): Promise<ReaderFolder> {
  const folder = folderWithProgram(FILES);
  await folder.run('go mod init shop');
  await folder.run(CLIENT);
  return folder;
}

it.skipIf(minor === undefined)(`passes the suite that the page of Go shows, by its commands${reason}`, async () => {
  expect(Object.keys(FILES)).toEqual(['orders_test.go', 'receiver_test.go']);
  const folder = await pageModule();
  expect(await folder.run('gofmt -l .')).toBe('');
  await folder.run('go vet ./...');
  expect(await folder.run(SUITE)).toMatch(/^ok\s+shop\s/m);
});

const WRONG = `package shop

import (
	"testing"

	"shop/svctest"
)

func TestCostsSomethingElse(t *testing.T) {
	account := svctest.Account(t)
	account.ExpectSpend(t, 12, func() {
		if err := account.Call("POST", "/v1/chat/completions", chat, nil); err != nil {
			t.Fatal(err)
		}
	})
}

func TestVerifies(t *testing.T) {
	account := svctest.Account(t)
	receiver := account.Receiver(t, "image.generation.succeeded")
	account.Fault(t, svctest.JSON{"effect": svctest.JSON{"webhook": "forged"}})
	for i := 0; i < 2; i++ {
		if err := account.Call("POST", "/v1/images/generations", svctest.JSON{"prompt": "a lighthouse"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	first, second := receiver.Wait(t, "image.generation.succeeded"), receiver.Wait(t, "image.generation.succeeded")
	if first.ID == second.ID || first.ResponseStatus != 204 || second.ResponseStatus != 204 {
		t.Errorf("Expected two genuine deliveries, got %+v and %+v", first, second)
	}
	var all struct {
		Data []struct {
			ResponseStatus int \`json:"response_status"\`
		}
	}
	svctest.Control(t, "GET", "/deliveries?account_id="+account.ID, nil, &all)
	if len(all.Data) != 3 || all.Data[2].ResponseStatus != 400 {
		t.Errorf("Expected the forged one to be refused, got %+v", all.Data)
	}
}

func TestRefusesAnUnknownEffect(t *testing.T) {
	svctest.Account(t).Fault(t, svctest.JSON{"effect": svctest.JSON{"nope": 1}})
}
`;

it.skipIf(minor === undefined)(
  `fails a test in Go with the rows of the ledger and its requests, and names it to exec${reason}`,
  async () => {
    const folder = await pageModule();
    writeFileSync(path.join(folder.path, 'wrong_test.go'), WRONG);
    const printed = await folder.run(`${SUITE.trim().replace('--quiet ', '')} 2>&1 || true`);
    expect(printed).toMatch(
      /wrong_test\.go:11: Expected 12 credits spent, got 1 credits spent and 0 refunds:\n +charge -1 \(chat\.completion\), balance 999\n/,
    );
    expect(printed).toMatch(/Requests of acct_\w+, newest first:\n +POST \/v1\/chat\/completions -> 200, 1 credits/);
    expect(printed).toContain('Unknown field effect.nope');
    expect(printed).toContain('FAILED TestCostsSomethingElse (wrong_test.go:10)');
    expect(printed).toContain('FAILED TestRefusesAnUnknownEffect');
    expect(printed).not.toContain('TestVerifies');
  },
);
