import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { atEnd } from './at-end.ts';

export interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
  body: any;
}

const MESSAGE = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Good evening.' }] };

/** One run of a command. Its work runs in this process, but its output and its exit are those of the shell. */
export class CommandRun {
  readonly env: Readonly<Record<string, string>>;
  out = '';
  err = '';
  /** The shell runs this last. */
  end = 'exit 0';

  constructor(env: Readonly<Record<string, string>>) {
    this.env = env;
  }

  /** Calls the emulator over a new connection. Rejects if the response is incomplete. */
  call(method: string, path: string, body?: object, bearer = this.env.SVC_API_KEY): Promise<Answer> {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const sent = request(this.env.SVC_BASE_URL + path, { method, headers, agent: false }, (response) => {
        const { statusCode: status = 0, headers: got } = response;
        const isJson = /json/.test(got['content-type'] ?? '');
        const read = isJson ? json(response) : once(response.resume(), 'end').then(() => undefined);
        read.then((read) => resolve({ status, headers: got as Answer['headers'], body: read }), reject);
      });
      sent.on('error', reject).end(body && JSON.stringify(body));
    });
  }

  chat(bearer?: string, more: object = {}): Promise<Answer> {
    return this.call('POST', '/v1/chat/completions', { ...MESSAGE, ...more }, bearer);
  }

  /** Runs a test as the fixtures do: `work` gets the key of an account with 1000 credits, and the end is reported. */
  async test(
    name: string,
    work: (key: string, account: { id: string; test_id: string }) => Promise<unknown>,
  ): Promise<void> {
    const test = { name, file: `${this.env.PWD}/suite.mjs`, line: 1 };
    const { body: account } = await this.call('POST', '/_emulator/accounts', { credits: 1000, test });
    let end: object = { outcome: 'passed' };
    try {
      await work(account.api_key, account);
    } catch (error) {
      this.fail(error);
      assert(error instanceof Error);
      end = { outcome: 'failed', error: error.message };
    }
    await this.call('PATCH', `/_emulator/tests/${account.test_id}`, end);
  }

  fail(error: unknown): void {
    this.err += `${inspect(error)}\n`;
    this.end = 'exit 1';
  }
}

/** Uses only shell builtins, because each further process takes as long as the shell. */
const SEND_ENVIRONMENT = `mapfile -d '' -t env </proc/$$/environ; printf '%s\\0' "\${env[@]}" "PWD=$PWD" '' >&3`;

/**
 * Returns the words of a command for `exec` and `check` whose work runs in this process. The command is a shell, which
 * starts 20 times faster than Node. `work` may be run several times at once.
 */
export async function commandHere(work: (run: CommandRun) => Promise<unknown>): Promise<readonly string[]> {
  const server = createServer((socket) => {
    // A killed shell closes the connection.
    serve(
      socket.on('error', () => undefined),
      work,
    ).catch(() => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const script = [
    `exec 3<>/dev/tcp/127.0.0.1/${port}`,
    process.platform === 'linux' ? SEND_ENVIRONMENT : "env -0 >&3; printf '\\0' >&3",
    "for name in err end; do IFS= read -r -d '' $name <&3; done",
    'eval "$end"',
  ];
  return ['bash', '--norc', '-c', script.join('; ')];
}

async function serve(socket: Socket, work: (run: CommandRun) => Promise<unknown>): Promise<void> {
  const run = new CommandRun(await environmentFrom(socket));
  await work(run).catch((error) => {
    run.fail(error);
    // Node prints this line after an uncaught error.
    run.err += `\nNode.js ${process.version}\n`;
  });
  const end = `${run.out && 'cat <&3; '}printf %s "$err" >&2; ${run.end}`;
  socket.end([run.err, end, run.out].join('\0'));
}

/** Reads the variables, each followed by a zero byte, up to one more zero byte. */
function environmentFrom(socket: Socket): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      if (text.endsWith('\0\0')) resolve(Object.fromEntries(text.split('\0').filter(Boolean).map(setting)));
    });
    socket.once('close', () => reject(new Error('The shell ended early.')));
  });
}

function setting(line: string): [name: string, value: string] {
  const [name = ''] = line.split('=', 1);
  return [name, line.slice(name.length + 1)];
}
