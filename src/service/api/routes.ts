import { z } from 'zod';
import { jsonObject } from '../../base/schemas.ts';
import { jobFaultsExceptFailure } from '../../engine/faults/request-faults.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { getAccount, listModels } from './account.ts';
import { createSpeech, createTranscription } from './audio.ts';
import { createChatCompletion } from './chat.ts';
import { createImage } from './images.ts';
import { createSong, getSong } from './music.ts';
import { deleteObject, listObjects, uploadObject } from './storage.ts';
import { createVideo, getVideo } from './videos.ts';
import { createWebhook, deleteWebhook, listWebhookSamples, listWebhooks } from './webhooks.ts';

/** The largest body of a call that starts a flow: 1 MiB [I168]. */
const LIMIT = 1_048_576;

const callFlow = defineOperation({
  name: 'callFlow',
  method: 'POST',
  path: '/hooks/flows/:token',
  summary: 'Starts a run of a flow with the body as its inputs.',
  access: 'public',
  body: jsonObject().describe('an object, the inputs of the run; steps read them as {{inputs.name}}.'),
  bodyLimit: LIMIT,
  announces: true,
  owner: (call) => call.context.control.flows.payerByToken(call.param('token')),
  status: 202,
  answer: z.strictObject({ id: z.string(), status: z.string() }),
  async handle(call) {
    const { body: inputs, baseUrl, requestId, faults, context } = call;
    const newRun = {
      source: 'webhook' as const,
      inputs,
      baseUrl,
      requestId,
      faults: faults ? jobFaultsExceptFailure(faults, 0) : null,
    };
    const { id, status, accountId } = await context.control.flows.runByToken(call.param('token'), newRun);
    Object.assign(call.annotations, { runId: id, accountId });
    return { id, status };
  },
});

export const FLOW_HOOK_OPERATIONS: readonly Operation[] = [callFlow];

export const SERVICE_OPERATIONS: readonly Operation[] = [
  createChatCompletion,
  createImage,
  createVideo,
  getVideo,
  createSpeech,
  createTranscription,
  uploadObject,
  listObjects,
  deleteObject,
  listModels,
  getAccount,
  createSong,
  getSong,
  listWebhooks,
  createWebhook,
  listWebhookSamples,
  deleteWebhook,
];
