interface Piece {
  text: string;
  usage: { credits_spent: number; credits_remaining: number } | undefined;
}

/** The pieces of a streamed reply as they come. Throws where the stream is cut or no JSON. */
export async function* readStream(response: Response): AsyncGenerator<Piece> {
  const lines = linesOf(response);
  for await (const line of lines) {
    if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
    const { choices = [], usage, error } = JSON.parse(line.slice('data: '.length));
    if (error) throw new Error(error.message);
    yield { text: choices[0]?.delta?.content ?? '', usage };
  }
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const held: string[] = [''];
  for (;;) {
    const { done, value = '' } = (await reader?.read()) ?? { done: true };
    if (done) return;
    const [first = '', ...rest] = value.split('\n');
    held.push((held.pop() ?? '') + first, ...rest);
    yield* held.splice(0, held.length - 1);
  }
}
