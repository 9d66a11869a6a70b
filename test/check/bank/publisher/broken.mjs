// Broken copies of the publisher: each one bug as people write it, as a small difference from the correct file.
const ONCE = 'if (EVENTS.includes(event.type) && !inbox.has(event.id)) inbox.set(event.id, event);\n  work();';
const FINAL = "  if (post.state === 'published' || post.state === 'dropped') return;\n";

export const BROKEN = {
  'starts again after a lost response': [['() => isTaken(post));', '() => undefined);']],
  'takes a lost response for a refusal': [['() => isTaken(post));', '() => ({ status: 0 }));']],
  'takes a lost response for a success': [['() => isTaken(post));', '() => ({ status: 202 }));']],
  'publishes twice': [
    [ONCE, 'if (EVENTS.includes(event.type)) inbox.set(event.id, event);\n  work();'],
    [FINAL, ''],
  ],
  'de-duplicates by signature': [
    [
      ONCE,
      "const mark = request.headers['svc-signature'];\n  if (EVENTS.includes(event.type) && !inbox.has(mark)) inbox.set(mark, event);\n  work();",
    ],
    [FINAL, ''],
  ],
  'checks, awaits, acts': [
    // It looks by itself so seldom that it does not come upon what is being acted on.
    ['await rest(350);', 'await rest(6000);'],
    [
      ONCE,
      'if (EVENTS.includes(event.type) && !inbox.has(event.id)) {\n    await sleep(400);\n    inbox.set(event.id, event);\n    take(posts.get(event.data.run.inputs.post) ?? {}, event);\n    event.isDone = true;\n  }',
    ],
    [FINAL, ''],
    ['function receive(request, body) {', 'async function receive(request, body) {'],
  ],
  'throws away an event of a run that it does not know': [
    ["post.state = 'starting';\n  const { status } =", "post.state = 'starting';\n  const { status, body } ="],
    ["else if (post.state === 'starting') post.state = 'asked';", "else post.state = 'asked';\n  post.run = body?.id;"],
    [
      'const post = posts.get(event.data.run.inputs.post);',
      'const post = [...posts.values()].find(({ run }) => run === event.data.run.id);',
    ],
  ],
  'waits for webhooks alone': [['    await samples();\n    work();', '']],
  'answers 410 to what it knows already': [
    ['const event = JSON.parse(body);', 'const event = JSON.parse(body);\n  if (inbox.has(event.id)) return [410];'],
  ],
  'answers 500 to an unknown type': [['  return [204];', '  return [EVENTS.includes(event.type) ? 204 : 500];']],
  'no signature check': [['return fits && Math.abs', 'return Math.abs']],
  'no age check': [['return fits && Math.abs(Date.now() / 1000 - Number(t)) <= 300;', 'return fits;']],
  'verifies re-serialised JSON': [['.update(body).digest()', '.update(JSON.stringify(JSON.parse(body))).digest()']],
  'reads one v1 only': [[".filter(([name]) => name === 'v1')", ".filter(([name]) => name === 'v1').slice(0, 1)"]],
  'takes 429 as final': [['status !== 429 && status < 500', 'status < 500']],
  'takes 503 as accepted': [
    ["if (status !== 202) post.state = 'refused';", "if (status !== 202 && status !== 503) post.state = 'refused';"],
    ['status !== 429 && status < 500', '(status !== 429 && status < 500) || status === 503'],
    ['status < 400 ? JSON.parse(text) : undefined', 'status < 400 ? JSON.parse(text) : {}'],
  ],
  'ignores Retry-After': [
    ["await sleep(Number(response.headers.get('retry-after') ?? 0) * 1000 + 40);", 'await sleep(40);'],
  ],
  'publishes what was rejected': [
    [
      "  if (type === 'flow.run.succeeded') {",
      "  if (type === 'flow.run.succeeded' || (type === 'flow.run.failed' && post.state !== 'draft')) {",
    ],
    ["post.state = 'draft';\n", "post.state = post.state === 'asked' ? 'draft' : 'early';\n"],
    ["['asked', 'draft'].includes", "['asked', 'draft', 'early'].includes"],
  ],
};

/** Copies that behave as the correct one does. */
export const REWRITTEN = {
  'other names': [
    [/\bposts\.(get|set|values)\b/g, 'articles.$1'],
    ['const posts = new Map', 'const articles = new Map'],
    [/\binbox\b/g, 'mailbox'],
    [/\bsamples\(/g, 'recent('],
    [/\bisTaken\b/g, 'isUnderWay'],
    [/\bwork\(/g, 'sort('],
    [/\btake\(/g, 'note('],
    [/\bisGenuine\b/g, 'fits'],
    ['const fits = parts', 'const isRight = parts'],
    ['return fits &&', 'return isRight &&'],
  ],
  'a slower handler': [
    [
      "  if (request.url === '/events') return receive(",
      "  if (request.url === '/events') await sleep(40);\n  if (request.url === '/events') return receive(",
    ],
  ],
};
