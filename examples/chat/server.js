import { chatServer } from './chat.js';

const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey, PORT = '4900' } = process.env;
const server = chatServer({ baseURL, apiKey });
server.listen(Number(PORT), '127.0.0.1', () => console.log(`chat ready on http://127.0.0.1:${PORT}`));
