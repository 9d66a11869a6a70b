// The most similar other emulator. It returns the same text for every chat, from memory.
import { requireTool } from '../tools/installed-tools.mjs';

const { LLMock } = await requireTool('@copilotkit/aimock', 'long');

const mock = new LLMock({ port: 0, logLevel: 'silent' });
mock.on({ endpoint: 'chat' }, { content: Buffer.from(process.env.CONTENT ?? '', 'base64').toString() });
await mock.start();
process.stdout.write(`ready on ${mock.url}\n`);
process.once('SIGTERM', async () => {
  await mock.stop();
  process.exit(0);
});
