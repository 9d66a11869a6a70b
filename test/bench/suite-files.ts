import { readFileSync } from 'node:fs';
import path from 'node:path';

export const TESTS = 200;

/** With the emulator's fixtures, or with a stub. */
export type Kind = 'ours' | 'stub';

/** The files of a test suite, and the command that runs them. */
export interface BenchSuite {
  files(kind: Kind): Record<string, string>;
  command: readonly string[];
}

/** Parts of a JavaScript test file that depend on its runner. */
interface Words {
  /** Imports for both kinds. */
  head: string;
  /** Code that gets our fixtures, and code that checks the credits spent. */
  ours: string;
  spent: string;
  before: string;
  after: string;
  /** Whether a test takes the fixtures as an argument; otherwise they are members of `svc`. */
  takes: boolean;
}

const CHAT = `async function chat({ url }, { apiKey }, n) {
  const response = await fetch(url + '/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello ' + n }] }),
  });
  if ((await response.json()).choices.length !== 1) throw new Error('no reply');
}`;

/** A simple stub: a server in the test process that counts calls by key. */
const STUB_SERVER = `const calls = new Map();
const server = createServer((request, response) => {
  const { authorization } = request.headers;
  calls.set(authorization, (calls.get(authorization) ?? 0) + 1);
  response.setHeader('content-type', 'application/json');
  request.resume().on('end', () => response.end(JSON.stringify({ choices: [{ message: { content: 'Hello.' } }] })));
});
const emulator = { get url() { return 'http://127.0.0.1:' + server.address().port; } };`;

/** These hooks begin before those of the fixtures, so that the start of the emulator counts. */
function textOf({ head, ours, spent, before, after, takes }: Words, kind: Kind): string {
  const isOurs = kind === 'ours';
  const given = isOurs ? 'const { emulator, account } = svc;' : "const account = { apiKey: 'key-' + n };";
  const check = isOurs ? spent : "if (calls.get('Bearer ' + account.apiKey) !== 1) throw new Error('not called once');";
  return `${head}
let began;
${isOurs ? '' : STUB_SERVER}
${before}(async () => {
  ${isOurs ? '' : "await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));"}
  began = performance.now();
});
${isOurs ? ours : takes ? 'const test = plain;' : ''}
${CHAT}
for (let n = 0; n < ${TESTS}; n += 1) {
  test('chat ' + n, async (${isOurs && takes ? '{ emulator, account }' : ''}) => {
    ${isOurs && takes ? '' : given}
    await chat(emulator, account, n);
    ${check}
  });
}
${after}(() => {
  writeFileSync('took.txt', String(performance.now() - began));
  ${isOurs ? '' : 'server.closeAllConnections(); server.close();'}
});
`;
}

function suiteOf(file: string, words: Words, command: readonly string[]): BenchSuite {
  return { files: (kind) => ({ [file]: textOf(words, kind) }), command: [process.execPath, ...command, file] };
}

const IMPORTS = "import { writeFileSync } from 'node:fs';\nimport { createServer } from 'node:http';";
const SPENT = 'await expect(account).toHaveSpent({ credits: 1 });';
const AROUND_ALL = { before: 'beforeAll', after: 'afterAll' };

const program = (name: string) => path.resolve('node_modules', name);

export function vitestSuite(): BenchSuite {
  const words: Words = {
    head: `${IMPORTS}\nimport { afterAll, beforeAll, expect, test as plain } from 'vitest';`,
    ours: "const { test } = await import('svc-emulator/vitest');",
    ...{ spent: SPENT, ...AROUND_ALL, takes: true },
  };
  return suiteOf('a.test.js', words, [program('vitest/vitest.mjs'), 'run', '--root', '.', '--testTimeout=60000']);
}

export function playwrightSuite(): BenchSuite {
  const words: Words = {
    head: `${IMPORTS}\nimport { test as plain } from '@playwright/test';`,
    ours: "const { expect, test } = await import('svc-emulator/playwright');",
    ...{ spent: SPENT, before: 'plain.beforeAll', after: 'plain.afterAll', takes: true },
  };
  const flags = ['--workers=1', '--timeout=60000', '--reporter=line'];
  return suiteOf('a.spec.mjs', words, [program('@playwright/test/cli.js'), 'test', ...flags]);
}

export function jestSuite(modules: string): BenchSuite {
  const words: Words = {
    head: "const { writeFileSync } = require('node:fs');\nconst { createServer } = require('node:http');",
    ours: "const svc = require('svc-emulator/jest').emulatorFixtures();",
    ...{ spent: SPENT, ...AROUND_ALL, takes: false },
  };
  const flags = ['--rootDir=.', '--watchman=false', '--testTimeout=60000', '--testMatch=**/*.jest.js'];
  return suiteOf('a.jest.js', words, [path.join(modules, 'jest/bin/jest.js'), ...flags]);
}

/** node:test has no matchers, so the test reads the ledger itself. */
export function nodeTestSuite(): BenchSuite {
  const words: Words = {
    head: `${IMPORTS}\nimport assert from 'node:assert/strict';\nimport { after, before, test } from 'node:test';`,
    ours: "const svc = (await import('svc-emulator/node-test')).emulatorFixtures();",
    spent: 'assert.equal((await account.ledger()).at(-1).amount, -1);',
    ...{ before: 'before', after: 'after', takes: false },
  };
  return suiteOf('a.node.mjs', words, ['--test']);
}

const PYTHON_CHAT = `import json, time, urllib.request
import pytest

def chat(url, key, n):
    body = json.dumps({"model": "svc-rp-mini", "messages": [{"role": "user", "content": f"Hello {n}"}]}).encode()
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url + "/v1/chat/completions", body, headers)) as response:
        assert len(json.load(response)["choices"]) == 1

@pytest.fixture(scope="session", autouse=True)
def timed():
    began = time.perf_counter()
    yield
    with open("took.txt", "w") as file:
        file.write(str((time.perf_counter() - began) * 1000))
`;

const PYTHON_OURS = `
@pytest.mark.parametrize("n", range(${TESTS}))
def test_chat(emulator, account, n):
    chat(emulator.url, account.api_key, n)
    assert account.ledger()[0]["amount"] == -1
`;

const PYTHON_STUB = `import http.server, threading
calls = {}

class Stub(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        key = self.headers["authorization"]
        calls[key] = calls.get(key, 0) + 1
        answer = json.dumps({"choices": [{"message": {"content": "Hello."}}]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass

@pytest.fixture(scope="session")
def url():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()

@pytest.mark.parametrize("n", range(${TESTS}))
def test_chat(url, n):
    chat(url, f"key-{n}", n)
    assert calls[f"Bearer key-{n}"] == 1
`;

/** The emulator runs in another process, as in every Python suite. */
export function pytestSuite(): BenchSuite {
  const plugin = readFileSync(path.resolve('src/client/python/svc_emulator.py'), 'utf8');
  return {
    files: (kind) => ({
      'svc_emulator.py': plugin,
      'conftest.py': kind === 'ours' ? 'pytest_plugins = ["svc_emulator"]\n' : '',
      'test_a.py': PYTHON_CHAT + (kind === 'ours' ? PYTHON_OURS : PYTHON_STUB),
    }),
    command: ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_a.py'],
  };
}
