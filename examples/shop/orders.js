import { Busy, NoResponse, Rejected } from './service.js';

const MAX_ATTEMPTS = 5;

/** What the shop sells: its price, and the request that buys it. A seed finds the job of an order again. */
export const PRODUCTS = {
  image: {
    price: 15,
    type: 'image/png',
    path: '/images/generations',
    body: ({ prompt }) => ({ prompt, store: true, response_format: 'url' }),
  },
  video: {
    price: 50,
    type: 'video/mp4',
    path: '/videos/generations',
    events: 'video.generation',
    body: ({ id, prompt }) => ({ model: 'vid_max5havc', seconds: 4, resolution: '480p', prompt, seed: id }),
  },
  song: {
    price: 5,
    type: 'audio/mpeg',
    path: '/music/generations',
    events: 'music.generation',
    body: ({ id, prompt }) => ({ prompt, seconds: 30, n: 1, seed: id }),
  },
};

/**
 * Moves orders on. Nothing is ordered twice: after a lost response, the account shows whether the order was charged.
 * That works because this shop has the account to itself and sends one paid request at a time.
 * `settleMs` is the longest time that the service works on a request after its client has gone.
 */
export function orderDesk({ store, service, settleMs = 60_000, log = console.error }) {
  let queue = Promise.resolve();
  let isSweepDue = false;
  let isStopped = false;

  /** Runs tasks one after another. A task that fails is logged, and the next sweep makes up for it. */
  function enqueue(name, task) {
    queue = queue.then(() => isStopped || task()).catch((error) => log(`${name}: ${error.message}`));
    return queue;
  }

  /** Sends, checks or recovers every open order. */
  function sweep() {
    if (isSweepDue) return;
    isSweepDue = true;
    enqueue('Sweep', () => {
      isSweepDue = false;
      for (const { id } of store.openOrders()) enqueue(`Order ${id}`, () => advance(store.order(id)));
    });
  }

  function stop() {
    isStopped = true;
    return queue;
  }

  async function advance(order) {
    const unsure = store.openOrders().find(({ status }) => status === 'sent');
    if (order.status === 'new' && !unsure && order.not_before <= Date.now()) await place(order);
    if (order.status === 'sent') await recover(order);
    if (order.status === 'rendering') await look(order);
  }

  async function place(order) {
    const { path, body } = PRODUCTS[order.kind];
    const { credits, usage_30d } = await service.read('/account');
    store.change(order.id, {
      status: 'sent',
      sent_at: Date.now(),
      attempts: order.attempts + 1,
      requests_before: usage_30d.requests,
      credits_before: credits,
      newest_object_before: (await newestObject())?.id ?? null,
    });
    try {
      accept(order, await service.once('POST', path, body(order)));
    } catch (error) {
      if (error instanceof NoResponse) throw error;
      if (error instanceof Rejected || order.attempts + 1 >= MAX_ATTEMPTS) store.failOrder(order.id, error.code);
      else if (error instanceof Busy)
        store.change(order.id, { status: 'new', not_before: Date.now() + error.retryAfter });
      else throw error;
    }
  }

  function accept(order, answer) {
    if (order.kind === 'image') return store.change(order.id, { status: 'done', url: answer.data[0].url });
    return store.change(order.id, { status: 'rendering', job_id: answer.data?.[0].id ?? answer.id });
  }

  /** Finds out what became of an order whose response was lost. */
  async function recover(order) {
    if (order.kind === 'image' && (await findImage(order))) return;
    if (Date.now() < order.sent_at + settleMs) return;
    const { credits, usage_30d } = await service.read('/account');
    const isCharged = usage_30d.requests > order.requests_before || credits < order.credits_before;
    if (!isCharged) store.change(order.id, { status: 'new' });
    // A charged image that is not in the storage by now has failed, and the service has refunded it.
    else if (order.kind === 'image') store.failOrder(order.id, 'render_failed');
    else store.change(order.id, { status: 'rendering' });
  }

  /** The image of an order is the object that was stored since. */
  async function findImage(order) {
    const object = await newestObject();
    if (!object || object.id === order.newest_object_before) return false;
    return store.change(order.id, { status: 'done', url: object.url });
  }

  async function newestObject() {
    const { data } = await service.read('/storage/objects?limit=1');
    return data[0];
  }

  /** Reads the job of an order. Without its id, looks for it in the latest events. */
  async function look(order) {
    if (order.job_id) return settle(order.job_id, order.kind);
    const { events } = PRODUCTS[order.kind];
    for (const outcome of ['succeeded', 'failed']) {
      const samples = await service.read(`/webhooks/samples?event=${events}.${outcome}`);
      for (const { data } of samples.events) await settle(data.id, order.kind);
    }
  }

  /** Applies the state of a job to its order. The job is read, so it does not matter how old the news is. */
  async function settle(jobId, kind) {
    let job;
    try {
      job = await service.read(`${PRODUCTS[kind].path}/${jobId}`);
    } catch (error) {
      // The example that the service shows before the first event has no job.
      if (error instanceof Rejected && error.code === 'not_found') return;
      throw error;
    }
    const order = store.order(job.seed);
    if (order?.kind !== kind || (order.job_id ?? jobId) !== jobId) return;
    if (job.status === 'succeeded') store.change(order.id, { status: 'done', job_id: jobId, url: job.result_url });
    else if (job.status === 'failed') store.failOrder(order.id, job.error.code);
  }

  /** Handles a verified event, once. */
  function handle(event) {
    const kind = Object.keys(PRODUCTS).find((name) => event.type.startsWith(`${PRODUCTS[name].events}.`));
    if (kind && store.addEvent(event.id)) enqueue(`Event ${event.id}`, () => settle(event.data.id, kind));
  }

  /** The file of a finished order. After seven days its URL has expired, and reading the job returns a new one. */
  async function file(order) {
    try {
      return await service.file(order.url);
    } catch (error) {
      if (error.code !== 'url_expired' || !order.job_id) throw error;
      const job = await service.read(`${PRODUCTS[order.kind].path}/${order.job_id}`);
      return service.file(job.result_url);
    }
  }

  return { sweep, handle, file, stop };
}
