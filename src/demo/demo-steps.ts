import { ControlError } from '../client/control-connection.ts';
import { EVENT_TYPES } from '../webhooks/event-schemas.ts';
import type { DemoClient } from './demo-client.ts';
import { readReadyMadeFlows } from './ready-made-flows.ts';

/** One thing that a populated account has. Finds by itself what those before it made, which a restart may lie between. */
export interface DemoStep {
  what: string;
  make(client: DemoClient): Promise<unknown>;
}

const WAITING_FLOW = 'Daily post';

/** Everything that the demo makes, in order: one after another, so that the same seed gives the same ids. */
export function demoSteps(): DemoStep[] {
  return [
    ...readReadyMadeFlows().map((flow) => ({
      what: `the flow "${flow.name}"`,
      make: async (client: DemoClient) => {
        const { workspace_id } = await client.account();
        await client.control('createFlow', { ...flow, workspace_id });
      },
    })),
    {
      what: 'the endpoint of the inbox "demo"',
      make: (client) => client.order('/webhooks', { url: client.inbox('demo'), events: EVENT_TYPES }),
    },
    ...MADE,
    { what: 'the run that waits', make: startWaitingRun },
  ];
}

const MADE: readonly DemoStep[] = [
  {
    what: 'a chat',
    make: (client) =>
      client.order('/chat/completions', {
        model: 'svc-rp-plus',
        context: 'Mara keeps the lighthouse of Skerry Point. She is dry, patient and afraid of the sea.',
        messages: [{ role: 'user', content: 'I knock and ask for shelter from the storm.' }],
      }),
  },
  {
    what: 'a chat by messages',
    make: (client) =>
      client.order('/chat/completions', {
        model: 'svc-rp-mini',
        mode: 'messaging',
        messages: [{ role: 'user', content: 'Are you still awake? The lamp went out.' }],
      }),
  },
  {
    what: 'a picture',
    make: (client) =>
      client.order('/images/generations', {
        prompt: 'portrait of a woman in a yellow raincoat by the sea',
        store: true,
        response_format: 'url',
      }),
  },
  { what: 'an element', make: saveKeeper },
  {
    what: 'a clip',
    make: (client) =>
      ended(client, 'succeeded', '/videos/generations', {
        model: 'svc-motion-one',
        prompt: '@mara climbs the stairs of the lighthouse at dusk',
        seconds: 5,
      }),
  },
  {
    what: 'a song',
    make: (client) =>
      ended(client, 'succeeded', '/music/generations', {
        prompt: 'a slow folk song about a lighthouse keeper',
        seconds: 30,
        n: 2,
      }),
  },
  {
    what: 'a spoken text',
    make: (client) =>
      client.order('/audio/speech', {
        voice: 'aria',
        input: 'The light turns once every nine seconds, and every ship knows it.',
      }),
  },
  {
    what: 'a render that fails',
    make: (client) =>
      ended(client, 'failed', '/videos/generations', {
        model: 'svc-motion-one',
        prompt: 'a storm tears the lamp off the tower [[fail]]',
        seconds: 5,
      }),
  },
];

/** Saves the newest picture as a character. */
async function saveKeeper(client: DemoClient): Promise<void> {
  const { id } = await client.account();
  const { data } = await client.control('listLibrary', { account_id: id, kind: 'image', limit: 1 });
  await client.control('createElement', {
    account_id: id,
    handle: 'mara',
    kind: 'character',
    name: 'Mara',
    ...(data[0] ? { image: data[0].url } : {}),
  });
}

/** Orders jobs and ends each, without waiting for their progression. */
async function ended(client: DemoClient, outcome: 'succeeded' | 'failed', path: string, order: object): Promise<void> {
  const answer = await client.order<{ id: string; data?: { id: string }[] }>(path, order);
  for (const { id } of answer.data ?? [answer]) {
    await client.control('finishJob', { id, outcome }).catch(ignoreConflict);
  }
}

/** The job has ended by itself. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof ControlError && error.code === 'conflict')) throw error;
}

async function startWaitingRun(client: DemoClient): Promise<void> {
  const { data } = await client.control('listFlows');
  const flow = data.findLast(({ name }) => name === WAITING_FLOW);
  if (!flow) throw new Error(`there is no flow "${WAITING_FLOW}"`);
  await client.control('startRun', {
    id: flow.id,
    inputs: { topic: 'The first ship of the spring', channel: 'the harbour news' },
  });
}
