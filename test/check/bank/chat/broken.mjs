// Broken copies of the chat front end: each one bug as people write it, as a small difference from the correct file.
export const BROKEN = {
  'sends again after a lost response': [["      await refresh();\n      return 'lost';", '      continue;']],
  'takes a cut stream for a whole one': [
    ["  if (isWhole) return 'whole';", "  if (isWhole || message.reply !== '') return 'whole';"],
  ],
  'pays again for a reply without [DONE]': [
    [
      "|| line === 'data: [DONE]') continue;",
      "|| line === 'data: [DONE]') {\n          isDone ||= line.endsWith('[DONE]');\n          continue;\n        }",
    ],
    ['  let isWhole = false;', '  let isWhole = false;\n  let isDone = false;'],
    [
      "  if (isWhole) return 'whole';",
      "  if (isWhole && !isDone) return send(message);\n  if (isWhole) return 'whole';",
    ],
  ],
  'pays again for what was cut': [
    ["  await refresh();\n  return 'partial';", "  message.reply = '';\n  return send(message);"],
  ],
  'shows the balance of the older of two answers': [
    ['shown = Math.min(shown ?? credits, credits);', 'shown = credits;'],
    // An answer that broke off is shown once it is sure that no more of it comes.
    ['if (usage) show(usage.credits_remaining);', 'if (usage) show((message.usage = usage).credits_remaining);'],
    [
      '    // What has come stays.',
      '    await sleep(400);\n    if (message.usage) show(message.usage.credits_remaining);',
    ],
  ],
  'counts its credits itself': [
    ['  if (usage) show(usage.credits_remaining);\n', 'void usage;'],
    [
      "    if (response.status === 402) return 'unpaid';",
      "    if (response.status === 402) return 'unpaid';\n    show(shown - 1);",
    ],
    ["      await refresh();\n      return 'lost';", "      show(shown - 1);\n      return 'lost';"],
    ["  await refresh();\n  return 'partial';", "  return 'partial';"],
  ],
  'counts a message before it is taken': [
    ['  if (usage) show(usage.credits_remaining);\n', 'void usage;'],
    ['async function send(message) {', 'async function send(message) {\n  show(shown - 1);'],
  ],
  'does not look again after a lost response': [
    ["      await refresh();\n      return 'lost';", "      return 'lost';"],
  ],
  'does not look again after a cut': [["  await refresh();\n  return 'partial';", "  return 'partial';"]],
  'a double click sends twice what was lost': [
    ['  if (known) return known.done;', "  if (known && known.state !== 'lost') return known.done;"],
  ],
  'takes 429 as final': [
    [
      "if (response.status === 402) return 'unpaid';",
      "if (response.status === 402) return 'unpaid';\n    if (response.status === 429) return 'refused';",
    ],
  ],
  'takes 503 for an empty reply': [
    [
      'if (response.ok) return read(response, message);',
      "if (response.ok) return read(response, message);\n    if (response.status === 503) return 'whole';",
    ],
  ],
  'ignores Retry-After': [
    [
      "await sleep(Number(response.headers.get('retry-after') ?? 0) * 1000 + 40);\n  }\n  return 'refused';",
      "await sleep(40);\n  }\n  return 'refused';",
    ],
  ],
  'retries a 402': [["    if (response.status === 402) return 'unpaid';\n", '']],
  'shows nothing when the balance cannot be read': [
    ['      if (response.ok) return await response.json();', '      return await response.json();'],
    ['  if (now) show(now.credits);\n}', '  if (now) show(now.credits ?? 0);\n}'],
  ],
  'throws away what came of a cut reply': [['    // What has come stays.', "    message.reply = '';"]],
};

/** Copies that behave as the correct one does. */
export const REWRITTEN = {
  'other names': [
    [/\bshow\(/g, 'display('],
    [/\brefresh\b/g, 'lookAtAccount'],
    [/\bsend\(/g, 'passOn('],
    [/\bread\(/g, 'listen('],
    [/\bmessages\.(get|set)\b/g, 'said.$1'],
    [/\bmessages\.values\b/g, 'said.values'],
    ['const messages = new Map', 'const said = new Map'],
    ['[...messages].map', '[...said].map'],
    ['function say({ id, said })', 'function say({ id, said: words })'],
    ['const message = { said,', 'const message = { said: words,'],
    [
      '[id, { said, reply, state }]) => ({ id, said, reply',
      '[id, { said: words, reply, state }]) => ({ id, said: words, reply',
    ],
  ],
  'a slower handler': [
    ['  response.end(JSON.stringify(await answer(', '  await sleep(40);\n  response.end(JSON.stringify(await answer('],
  ],
};
