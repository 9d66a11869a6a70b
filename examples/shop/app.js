import express from 'express';
import Stripe from 'stripe';
import { orderDesk, PRODUCTS } from './orders.js';
import { connectService, repeat } from './service.js';
import { openStore } from './store.js';

const EVENTS = ['video', 'music'].flatMap((kind) => [`${kind}.generation.succeeded`, `${kind}.generation.failed`]);

/** Starts the shop. `baseUrl` ends with `/v1`; `publicUrl` is where the service reaches the shop. */
export async function startShop({ baseUrl, apiKey, file, port = 0, publicUrl, sweepMs = 2_000, ...limits }) {
  const store = openStore(file);
  const service = connectService({ baseUrl, apiKey, ...limits });
  const desk = orderDesk({ store, service, ...limits });
  const endpoint = {};
  const app = shopApp({ store, desk, endpoint });
  const server = await new Promise((resolve) => {
    const listening = app.listen(port, '127.0.0.1', () => resolve(listening));
  });
  const url = `http://127.0.0.1:${server.address().port}`;
  endpoint.secret = await register(service, `${publicUrl ?? url}/events`);
  const timer = setInterval(desk.sweep, sweepMs);
  return {
    url,
    store,
    async close() {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
      await desk.stop();
      store.close();
    },
  };
}

/** Only the creation of an endpoint shows its secret, so an earlier one for this URL is replaced. */
function register(service, url) {
  return repeat(async () => {
    const { webhooks } = await service.read('/webhooks');
    for (const old of webhooks.filter((one) => one.url === url)) await service.once('DELETE', `/webhooks/${old.id}`);
    const { secret } = await service.once('POST', '/webhooks', { url, events: EVENTS });
    return secret;
  });
}

function shopApp({ store, desk, endpoint }) {
  const app = express();

  // The signature covers the bytes of the body, so this comes before express.json().
  app.post('/events', express.raw({ type: '*/*', limit: '2mb' }), (request, response) => {
    let event;
    try {
      event = Stripe.webhooks.constructEvent(request.body, request.get('svc-signature'), endpoint.secret);
    } catch {
      return response.sendStatus(400);
    }
    desk.handle(event);
    return response.sendStatus(204);
  });

  app.use(express.json());

  app.post('/orders', (request, response) => {
    const { customer, kind, prompt } = request.body ?? {};
    if (!Object.hasOwn(PRODUCTS, kind ?? '') || typeof prompt !== 'string' || !store.customer(customer)) {
      return response.status(400).json({ error: 'An order has a customer, a kind (image, video, song) and a prompt.' });
    }
    const id = store.addOrder(customer, kind, prompt, PRODUCTS[kind].price);
    if (id === undefined) return response.status(402).json({ error: 'Not enough credits.' });
    desk.sweep();
    return response.status(202).json({ id });
  });

  app.get('/orders/:id', (request, response) => {
    const order = store.order(request.params.id);
    if (!order) return response.sendStatus(404);
    const { id, kind, status, error } = order;
    return response.json({ id, kind, status, error, credits: store.customer(order.customer).credits });
  });

  app.get('/orders/:id/file', async (request, response) => {
    const order = store.order(request.params.id);
    if (order?.status !== 'done') return response.sendStatus(404);
    const bytes = await desk.file(order);
    return response.type(PRODUCTS[order.kind].type).send(bytes);
  });

  // Express recognizes an error handler by its four parameters.
  app.use((error, _request, response, _next) => {
    response.status(error.status ?? 503).json({ error: error.status ? error.message : 'Try again later.' });
  });

  return app;
}
