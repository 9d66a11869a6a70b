// Broken copies of the batch: each one bug as people write it, as a small difference from the correct file.
export const BROKEN = {
  'orders again after a lost response': [
    ['((await requestsMade()) > before ? { status: 202 } : undefined)', 'undefined'],
  ],
  'gives an order up whose answer was lost': [
    ['((await requestsMade()) > before ? { status: 202 } : undefined)', '({ status: 0 })'],
  ],
  'uploads again after a lost response': [["'/storage/objects', make, find)", "'/storage/objects', make)"]],
  'gives up after three looks': [['turn < 200 && item.job', 'turn < 3 && item.job']],
  'takes the 500 of a poll for a failed job': [
    [
      '  if (status === 429 || status >= 500) return { again',
      "  if (status === 500 && url.includes('generations/')) return { status, body: { status: 'failed' } };\n  if (status === 429 || status >= 500) return { again",
    ],
  ],
  'takes a lost response of a poll for a failed job': [
    ['item.job}`);\n    if', "item.job}`, undefined, () => ({ body: { status: 'failed' } }));\n    if"],
  ],
  'keeps half a file': [
    ['const bytes = Buffer.from(await response.arrayBuffer());', 'const bytes = await whatComes(response);'],
    [
      "if (response.ok && bytes.length === Number(response.headers.get('content-length'))) return bytes;",
      'if (response.ok) return bytes;',
    ],
    [
      'async function work() {',
      'async function whatComes(response) {\n  const chunks = [];\n  try {\n    for await (const chunk of response.body) chunks.push(chunk);\n  } catch {}\n  return Buffer.concat(chunks);\n}\n\nasync function work() {',
    ],
  ],
  'keeps what an error says as the file': [
    [
      "if (response.ok && bytes.length === Number(response.headers.get('content-length'))) return bytes;",
      'if (bytes.length > 0) return bytes;',
    ],
  ],
  'keeps an empty file of a 503': [
    [
      "if (response.ok && bytes.length === Number(response.headers.get('content-length'))) return bytes;",
      "if (response.ok && bytes.length === Number(response.headers.get('content-length'))) return bytes;\n      if (response.status === 503) return Buffer.alloc(0);",
    ],
  ],
  'keeps an expired URL': [['if (response.status === 403) url', 'if (response.status === 999) url']],
  'takes the clips as they end': [
    [
      '  const bytes = await download(job);',
      '  const bytes = await download(job);\n  const place = items.filter(({ file }) => file).length;\n  item.file = PICTURES[items[place].name] && items[place].name;',
    ],
    ['item.name}.mp4`);\n  writeFileSync', 'item.file}.mp4`);\n  writeFileSync'],
  ],
  'orders a failed clip again': [
    [
      "if (body?.status === 'failed') return fail(item, 'failed');",
      "if (body?.status === 'failed') return item.again ? fail(item, 'failed') : order(Object.assign(item, { again: true })).then(() => finish(item));",
    ],
  ],
  'one failed clip ends the batch': [
    [
      "if (body?.status === 'failed') return fail(item, 'failed');",
      "if (body?.status === 'failed') throw new Error(fail(item, 'failed'));",
    ],
    [
      '    await sleep(70);\n  }\n  if (item.job)',
      "    await sleep(70);\n  }\n  if (items.some(({ state }) => state === 'failed')) return;\n  if (item.job)",
    ],
  ],
  'takes 429 as final': [['if (status === 429 || status >= 500)', 'if (status >= 500)']],
  'takes 503 as accepted': [
    [
      '  if (status === 429 || status >= 500)',
      "  if (status === 503 && method === 'POST') return { status: 202 };\n  if (status === 429 || status >= 500)",
    ],
  ],
  'ignores Retry-After': [["again: Number(response.headers.get('retry-after') ?? 0) * 1000 + 40", 'again: 40']],
  'retries a 402': [['if (status === 429 ||', 'if (status === 402 || status === 429 ||']],
};

/** Copies that behave as the correct one does. */
export const REWRITTEN = {
  'other names': [
    [/\baskOnce\b/g, 'oneRequest'],
    [/\bask\(/g, 'request('],
    [/\brequestsMade\b/g, 'countOfRequests'],
    [/\badopt\b/g, 'findLost'],
    [/\bendedJobs\b/g, 'recentJobs'],
    [/\bfinish\b/g, 'follow'],
    [/\bkeep\(/g, 'store('],
    [/\bfail\(/g, 'giveUp('],
    [/async \(request, response\)/g, 'async (question, response)'],
    ['request.url ===', 'question.url ==='],
  ],
  'a slower handler': [['    working = work()', '    await sleep(40);\n    working = work()']],
};
