/** A request that tries to block the server for all other clients. */
export interface HostileRequest {
  name: string;
  path: string;
  body: Buffer | FormData;
}

const MEBIBYTE = 1_048_576;
/** The largest JSON body. */
const MAX = 32 * MEBIBYTE;
const CHAT = '/v1/chat/completions';
const CHAT_HEAD = '{"model":"svc-rp-mini","messages":[';

/** The worst known requests of each kind. */
export function hostileRequests(): HostileRequest[] {
  return [...hostileArrays(), ...hostileTexts(), ...hostileFiles(), ...hostileFixtures()];
}

function hostileArrays(): HostileRequest[] {
  const turn = '{"role":"user","content":"Hello there."},';
  return [
    chat('16 million numbers as messages', filled(CHAT_HEAD, '1,', '1]}')),
    chat('10 million objects as messages', filled(CHAT_HEAD, '{},', '{}]}')),
    chat('800,000 messages', filled(CHAT_HEAD, turn, `${turn.slice(0, -1)}]}`)),
    chat('1,000 messages of 32 KiB', filled(CHAT_HEAD, longTurn(32_000), `${turn.slice(0, -1)}]}`)),
    chat('2 MB of numbers as messages', filled(CHAT_HEAD, '1,', '1]}', 2 * MEBIBYTE)),
    chat('1 MB of objects as messages', filled(CHAT_HEAD, '{},', '{}]}', MEBIBYTE)),
    chat('16 million opening brackets', filled('', '[', '')),
    chat('1 MB of opening brackets', filled('', '[', '', MEBIBYTE)),
    chat('brackets that are closed', filled('{"a":[', '[[]],', '[]]}')),
    chat('3 million unknown fields', filled('{', '"a":0,', '"b":0}')),
    chat('1.5 million fields by different names', numbered()),
    post(
      'a million events',
      '/v1/webhooks',
      filled('{"url":"https://example.com/","events":[', '"job.succeeded",', '"x"]}'),
    ),
    post('a million elements', '/v1/videos/generations', filled('{"prompt":"a","elements":[', '"el_1",', '"x"]}')),
    post(
      'a million references',
      '/v1/videos/generations',
      filled('{"prompt":"a","references":[', '"https://a.b/c",', '"x"]}'),
    ),
    post('a million steps', '/_emulator/flows', filled('{"name":"a","steps":[', '{"kind":"text"},', '{}]}')),
    post('a million fixtures', '/_emulator/fixtures', filled('{"fixtures":[', '{"answer":{"text":"a"}},', '{}]}')),
  ];
}

function hostileTexts(): HostileRequest[] {
  const song = '/v1/music/generations';
  return [
    chat('a message of 32 MiB of words', filled(`${CHAT_HEAD}{"role":"user","content":"`, 'word ', '"}]}')),
    chat('a message of 32 MiB of commas', filled(`${CHAT_HEAD}{"role":"user","content":"`, ',', '"}]}')),
    chat('a message of 32 MiB of directives', filled(`${CHAT_HEAD}{"role":"user","content":"`, '[[slow:0]]', '"}]}')),
    chat('a message of 32 MiB of escapes', filled(`${CHAT_HEAD}{"role":"user","content":"`, '\\u0041', '"}]}')),
    chat(
      'a context of 32 MiB',
      filled('{"model":"svc-rp-mini","messages":[{"role":"user","content":"Hi"}],"context":"', 'Mira is brave. ', '"}'),
    ),
    chat('a key of 32 MiB', filled('{"', 'x', '":1}')),
    post('a title from 200,000 marks', song, songOf('lyrics', `${'!'.repeat(200_000)}a`)),
    post('a title from 19,000 marks', song, songOf('lyrics', `${'!'.repeat(19_000)}a`)),
    post('19,000 brackets that never close', song, songOf('lyrics', `[${'a '.repeat(9_500)}`)),
    post('a prompt of 32 MiB for a picture', '/v1/images/generations', filled('{"prompt":"', 'a ', '"}')),
    post('a speech of 32 MiB', '/v1/audio/speech', filled('{"input":"', 'a ', '"}')),
    post(
      'a picture of 32 MiB',
      '/v1/videos/generations',
      filled('{"prompt":"a","reference":"data:image/png;base64,', 'A', '"}'),
    ),
  ];
}

/** Posted fixtures stay, so each later chat is matched against all of them. */
function hostileFixtures(): HostileRequest[] {
  const scripted = (pattern: (n: number) => object, length = 700) =>
    Buffer.from(
      JSON.stringify({
        fixtures: Array.from({ length }, (_, n) => ({ match: { message: pattern(n) }, answer: { text: 'a' } })),
      }),
    );
  const asked = (text: string) =>
    Buffer.from(JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: text }] }));
  const expressions = scripted((n) => ({ regex: `(?i)\\border ${n}\\b.*for` }), 250);
  const dear = scripted(() => ({ regex: '(?:[ab]*a[ab]{40}){4}$' }), 30);
  const letters = Array.from({ length: 8192 }, (_, n) => 'ab'[((n * 7919) >> (n % 5)) & 1]).join('');
  return [
    post('250 expressions', '/_emulator/fixtures', expressions),
    chat('a chat before 750 expressions', asked('where is order 12 for ada? '.repeat(300))),
    post('30 dear expressions', '/_emulator/fixtures', dear),
    chat('a chat before 90 dear expressions', asked(letters)),
    post(
      '700 parts',
      '/_emulator/fixtures',
      scripted((n) => ({ contains: `${'a'.repeat(500)}${n}${'a'.repeat(490)}` })),
    ),
    chat('a chat before 2,100 parts', asked('a'.repeat(65_536))),
  ];
}

function hostileFiles(): HostileRequest[] {
  const tags = Buffer.alloc(80_000_000, Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0]));
  const frames = Buffer.alloc(90_000_000, Buffer.from([0x54, 0x58, 0x58, 0x58, 0, 0, 0, 1, 0, 0, 3]));
  frames.set([0x49, 0x44, 0x33, 3, 0, 0, 0x2a, 0x75, 0x2a, 0x00]);
  const wav = Buffer.alloc(90_000_000, Buffer.from([0x61, 0x62, 0x63, 0x64, 0, 0, 0, 0]));
  wav.write('RIFF');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVE', 8);
  wav.set(Buffer.from([0x61, 0x62, 0x63, 0x64, 0, 0, 0, 0]), 12);
  const zeros = Buffer.alloc(90_000_000);
  zeros.set([0xff, 0xfb, 0x90, 0x00]);
  return [
    sound('an MP3 of 8 million tags', tags),
    sound('an MP3 of 8 million tag frames', frames),
    sound('a WAV of 11 million chunks', wav),
    sound('an MP3 of zeros', zeros),
  ];
}

function chat(name: string, body: Buffer): HostileRequest {
  return { name, path: CHAT, body };
}

function post(name: string, path: string, body: Buffer): HostileRequest {
  return { name, path, body };
}

function sound(name: string, bytes: Buffer<ArrayBuffer>): HostileRequest {
  const body = new FormData();
  body.append('file', new Blob([bytes]), 'sound');
  return { name, path: '/v1/audio/transcriptions', body };
}

function songOf(field: string, text: string): Buffer {
  return Buffer.from(JSON.stringify({ prompt: 'a song', [field]: text }));
}

function longTurn(length: number): string {
  return `{"role":"user","content":"${'word '.repeat(length / 5)}"},`;
}

/** Repeats the piece as often as `most` bytes allow. */
function filled(head: string, piece: string, tail: string, most = MAX): Buffer {
  const times = Math.floor((most - head.length - tail.length) / piece.length);
  const body = Buffer.alloc(head.length + times * piece.length + tail.length, piece);
  body.write(head);
  body.fill(piece, head.length, head.length + times * piece.length);
  body.write(tail, head.length + times * piece.length);
  return body;
}

function numbered(): Buffer {
  const fields = Array.from({ length: 2_000_000 }, (_, position) => `"f${position}":0`);
  return Buffer.from(`{${fields.join(',')}}`);
}
