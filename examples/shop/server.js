import { startShop } from './app.js';

const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: apiKey, PORT = '4800' } = process.env;
const shop = await startShop({ baseUrl, apiKey, file: 'shop.db', port: Number(PORT) });
if (!shop.store.customer('ada')) shop.store.addCustomer('ada', 100);
console.log(`shop ready on ${shop.url}`);
