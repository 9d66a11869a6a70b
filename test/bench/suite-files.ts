import { readFileSync } from 'node:fs';
import path from 'node:path';

export const TESTS = 200;

/** A suite of a runner: the files of ours, those on a stub, and the command for each. */
export interface BenchSuite {
  ours: Record<string, string>;
  stub: Record<string, string>;
  command(kind: 'ours' | 'stub'): readonly string[];
}

/** What a test file of JavaScript needs of its runner. */
interface Words {
  file(kind: 'ours' | 'stub'): string;
  /** `import` or `require` lines of both files, and of each. */
  head: string;
  ours: string;
  stub: string;
  before: string;
  after: string;
  /** Whether a test takes the fixtures as an argument; otherwise they are members of `svc`. */
  takes: boolean;
  /** Checks what was spent, and that the stub was called once. */
  spent: string;
  calledOnce: string;
}

const CHAT = `async function chat({ url }, { apiKey }, n) {
  const response = await fetch(url + '/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello ' + n }] }),
  });
  if ((await response.json()).choices.length !== 1) throw new Error('no reply');
}`;

/** What anybody would write: a server in the process, which counts its calls by key. */
const STUB_SERVER = `const calls = new Map();
const server = createServer((request, response) => {
  const { authorization } = request.headers;
  calls.set(authorization, (calls.get(authorization) ?? 0) + 1);
  response.setHeader('content-type', 'application/json');
  request.resume().on('end', () => response.end(JSON.stringify({ choices: [{ message: { content: 'Hello.' } }] })));
});
const stub = { get url() { return 'http://127.0.0.1:' + server.address().port; } };`;

/** Its hooks begin before those of the fixtures, so that the start of the emulator counts. */
function textOf(words: Words, kind: 'ours' | 'stub'): string {
  const { head, before, after, takes } = words;
  const isOurs = kind === 'ours';
  const check = isOurs ? words.spent : words.calledOnce;
  return `${head}
let began;
${isOurs ? '' : STUB_SERVER}
${before}(async () => {
  ${isOurs ? '' : "await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));"}
  began = performance.now();
});
${isOurs ? words.ours : words.stub}
${CHAT}
for (let n = 0; n < ${TESTS}; n += 1) {
  test('chat ' + n, async (${takes ? '{ emulator, account }' : ''}) => {
    ${takes ? '' : 'const { emulator, account } = svc;'}
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

const filesOf = (words: Words, more: Record<string, string> = {}) => ({
  ours: { ...more, [words.file('ours')]: textOf(words, 'ours') },
  stub: { ...more, [words.file('stub')]: textOf(words, 'stub') },
});

const IMPORTS = "import { writeFileSync } from 'node:fs';\nimport { createServer } from 'node:http';";
const FIXTURES = `const test = plain.extend({
  emulator: async ({}, use) => use(stub),
  account: async ({}, use) => use({ apiKey: String(Math.random()) }),
});`;
const HOOKS =
  'const svc = { emulator: stub };\nbeforeEach(() => { svc.account = { apiKey: String(Math.random()) }; });';
const EXPECTS = {
  spent: 'await expect(account).toHaveSpent({ credits: 1 });',
  calledOnce: "expect(calls.get('Bearer ' + account.apiKey)).toBe(1);",
};

const program = (name: string) => path.resolve('node_modules', name);

export function vitestSuite(): BenchSuite {
  const words: Words = {
    file: (kind) => `${kind}.test.js`,
    head: `${IMPORTS}\nimport { afterAll, beforeAll, expect, test as plain } from 'vitest';`,
    ours: "const { test } = await import('svc-emulator/vitest');",
    stub: FIXTURES,
    ...{ before: 'beforeAll', after: 'afterAll', takes: true, ...EXPECTS },
  };
  const line = [process.execPath, program('vitest/vitest.mjs'), 'run', '--root', '.', '--testTimeout=60000'];
  return { ...filesOf(words), command: (kind) => [...line, words.file(kind)] };
}

export function playwrightSuite(): BenchSuite {
  const words: Words = {
    file: (kind) => `${kind}.spec.mjs`,
    head: `${IMPORTS}\nimport { expect as plainExpect, test as plain } from '@playwright/test';`,
    ours: "const { expect, test } = await import('svc-emulator/playwright');",
    stub: `const expect = plainExpect;\n${FIXTURES}`,
    ...{ before: 'plain.beforeAll', after: 'plain.afterAll', takes: true, ...EXPECTS },
  };
  const config = { 'playwright.config.mjs': 'export default { workers: 1, timeout: 60000, reporter: "line" };' };
  const line = [process.execPath, program('@playwright/test/cli.js'), 'test'];
  return { ...filesOf(words, config), command: (kind) => [...line, words.file(kind)] };
}

export function jestSuite(modules: string): BenchSuite {
  const words: Words = {
    file: (kind) => `${kind}.jest.js`,
    head: "const { writeFileSync } = require('node:fs');\nconst { createServer } = require('node:http');",
    ours: "const svc = require('svc-emulator/jest').emulatorFixtures();",
    stub: HOOKS,
    ...{ before: 'beforeAll', after: 'afterAll', takes: false, ...EXPECTS },
  };
  const config = { 'jest.config.json': '{ "testMatch": ["**/*.jest.js"], "testTimeout": 60000 }' };
  const line = [process.execPath, path.join(modules, 'jest/bin/jest.js'), '--rootDir=.', '--watchman=false'];
  return { ...filesOf(words, config), command: (kind) => [...line, words.file(kind)] };
}

/** Has no matchers, so the test reads the ledger itself. */
export function nodeTestSuite(): BenchSuite {
  const words: Words = {
    file: (kind) => `${kind}.node.mjs`,
    head: `${IMPORTS}\nimport assert from 'node:assert/strict';\nimport { after, before, beforeEach, test } from 'node:test';`,
    ours: "const svc = (await import('svc-emulator/node-test')).emulatorFixtures();",
    stub: HOOKS,
    ...{ before: 'before', after: 'after', takes: false },
    spent: 'assert.equal((await account.ledger()).at(-1).amount, -1);',
    calledOnce: "assert.equal(calls.get('Bearer ' + account.apiKey), 1);",
  };
  return { ...filesOf(words), command: (kind) => [process.execPath, '--test', words.file(kind)] };
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

/** Calls the emulator over a connection to another process, as every suite of Python does. */
export function pytestSuite(): BenchSuite {
  const plugin = readFileSync(path.resolve('src/client/python/svc_emulator.py'), 'utf8');
  const file = (kind: string) => `test_${kind}.py`;
  return {
    ours: {
      'svc_emulator.py': plugin,
      'conftest.py': 'import sys\npytest_plugins = ["svc_emulator"] if "test_ours.py" in sys.argv[-1] else []\n',
      [file('ours')]: PYTHON_CHAT + PYTHON_OURS,
    },
    stub: { [file('stub')]: PYTHON_CHAT + PYTHON_STUB },
    command: (kind) => ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', file(kind)],
  };
}
