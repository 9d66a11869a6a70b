/** One server-sent event. */
export interface StreamedEvent {
  id: string;
  event: string;
  data: string;
}

/** The server-sent events of a body, until it ends. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield parse(block);
  }
}

function parse(block: string): StreamedEvent {
  const fields = block.split('\n').map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  });
  const all = (wanted: string) => fields.flatMap(([name, value]) => (name === wanted ? [value] : []));
  return {
    id: all('id').join(),
    event: all('event').join() || 'message',
    data: all('data').join('\n'),
  };
}
