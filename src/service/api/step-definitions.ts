import { z } from 'zod';
import { invalidRequestError } from '../../base/errors.ts';
import { optional, text } from '../../base/schemas.ts';
import type { RequestFaults } from '../../engine/faults/request-faults.ts';
import {
  type IsValueDeferred,
  ignoreDeferredValueErrors,
  type OutputKind,
  type StepDefinition,
  type StepDefinitions,
  type StepParams,
} from '../../engine/flows/definition.ts';
import { type FlowRunPayer, orderRenderJobs } from '../../engine/generation/place-order.ts';
import { createFaultTarget } from '../faults/fault-target.ts';
import { workUnderFaults } from '../faults/under-faults.ts';
import type { RequestMatchValues } from '../fixtures/fixture-schema.ts';
import { runWithScriptedAnswer } from '../fixtures/fixtures.ts';
import type { BaseContext } from '../http/context.ts';
import { textWithDirectives } from '../http/directed-text.ts';
import { InputReader } from '../http/input.ts';
import type { Operation } from '../http/operation.ts';
import { privateUrlWarnings } from '../http/reachable-urls.ts';
import { createSpeech, speechPurchase, speechRequestSchema, toSpeechSettings } from './audio.ts';
import { chatRequestSchema, completeChat, createChatCompletion, toChatRequest } from './chat.ts';
import { limitElementPictures, makeSynchronousClipPurchase, orderClip, planClip } from './clip-purchases.ts';
import { createImage, imagePurchase, imageRequestSchema, toImageSettings } from './images.ts';
import { createSong, orderSong, requireSongDescription, songRequestSchema, toSongSettings } from './music.ts';
import {
  chooseVideoMode,
  createVideo,
  findNamedAndMentionedElements,
  referenceUrlFields,
  toClipOptions,
  videoRequestSchema,
} from './videos.ts';

export function createStepDefinitions(context: BaseContext): StepDefinitions {
  return {
    text: textStep(context),
    image: imageStep(context),
    video: videoStep(context),
    music: musicStep(context),
    speech: speechStep(context),
    post: postStep(),
  };
}

const STANDARD = 'svc-rp-plus';

const textParams = z.object({
  prompt: textWithDirectives({ min: 1 }).describe('a description of the text to write.'),
  model: optional(z.string()).describe('svc-rp-plus or svc-rp-mini (default: svc-rp-plus).'),
});

function textStep(context: BaseContext): StepDefinition {
  return operationStep(context, {
    output: 'text',
    operation: createChatCompletion,
    schema: textParams,
    check: ({ model = STANDARD }) => context.generation.catalogue.model(model, 'chat'),
    matchValues: ({ model = STANDARD, prompt }) => ({ model, message: prompt.text, turn: 1 }),
    order({ prompt, model = STANDARD }, payer) {
      const messages = [{ role: 'user' as const, content: prompt.text }];
      const { directives } = prompt;
      const request = { ...toChatRequest(chatRequestSchema.parse({ model, messages })), directives };
      return completeChat(context.generation, request, payer);
    },
  });
}

function imageStep(context: BaseContext): StepDefinition {
  const { catalogue } = context.generation;
  const chosen = (model: string | undefined) => catalogue.chosen(model, 'image');
  return operationStep(context, {
    output: 'image',
    operation: createImage,
    schema: imageRequestSchema,
    check: ({ model }) => chosen(model),
    order: (body, payer) =>
      orderRenderJobs(context.generation, imagePurchase(catalogue, chosen(body.model), toImageSettings(body)), payer),
  });
}

function videoStep(context: BaseContext): StepDefinition {
  const { catalogue } = context.generation;
  return operationStep(context, {
    output: 'video',
    operation: createVideo,
    schema: videoRequestSchema,
    check(body) {
      const { engine, isSynchronous } = chooseVideoMode(catalogue, body);
      privateUrlWarnings(context, referenceUrlFields(body));
      if (!isSynchronous) planClip(engine, toClipOptions(body));
    },
    async order(body, payer) {
      const { engine, isSynchronous, duration } = chooseVideoMode(catalogue, body);
      const options = toClipOptions(body);
      const requester = { context, body, caller: payer.caller, warn: () => {} };
      const settings = { ...options, ...findNamedAndMentionedElements(requester, options.prompt) };
      if (!isSynchronous) return orderClip(context, engine, settings, payer);
      const { figures } = limitElementPictures(engine, settings.figures);
      return orderRenderJobs(
        context.generation,
        makeSynchronousClipPurchase(catalogue, { ...settings, figures, duration }),
        payer,
      );
    },
  });
}

function musicStep(context: BaseContext): StepDefinition {
  const chosen = (model: string | undefined) => context.generation.catalogue.chosen(model, 'music');
  return operationStep(context, {
    output: 'audio',
    operation: createSong,
    schema: songRequestSchema,
    given: { n: 1 },
    check(body) {
      if (body.n !== 1) throw invalidRequestError('n', 'n must be 1 in a flow: a step has one output.');
      chosen(body.model);
      requireSongDescription(body);
    },
    order: (body, payer) => orderSong(context.generation, chosen(body.model), toSongSettings(body), payer),
  });
}

function speechStep(context: BaseContext): StepDefinition {
  const { catalogue } = context.generation;
  const chosen = (model: string | undefined) => catalogue.chosen(model, 'speech');
  return operationStep(context, {
    output: 'audio',
    operation: createSpeech,
    schema: speechRequestSchema,
    check: ({ model }) => chosen(model),
    order: (body, payer) =>
      orderRenderJobs(context.generation, speechPurchase(catalogue, chosen(body.model), toSpeechSettings(body)), payer),
  });
}

const link = z.string().superRefine((url, context) => {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return;
  context.addIssue({ code: 'custom', message: 'must be an http(s) URL.' });
});

const postParams = z.object({
  text: optional(text()).describe('the text of the post.'),
  url: optional(link).describe('the http(s) URL of the media of the post, such as {{steps.1.url}}.'),
});

function postStep(): StepDefinition {
  const reader = new InputReader(postParams);
  return {
    output: 'post',
    check: (params, isDeferred) =>
      checkBody(reader, { params, isDeferred }, (post) => {
        if (post.text !== undefined || post.url !== undefined) return;
        throw invalidRequestError('text', 'A post needs a text, a url or both; give one of them.');
      }),
    order: () => Promise.reject(new Error('a post is shown, not ordered')),
  };
}

interface OperationStep<Schema extends z.ZodType> {
  output: OutputKind;
  /** Fault rules and scripted answers treat the step as a call of this operation. */
  operation: Operation;
  schema: Schema;
  given?: StepParams;
  check(body: z.output<Schema>): void;
  matchValues?(body: z.output<Schema>): RequestMatchValues;
  order(body: z.output<Schema>, payer: FlowRunPayer): Promise<unknown>;
}

function operationStep<Schema extends z.ZodType>(context: BaseContext, step: OperationStep<Schema>): StepDefinition {
  const reader = new InputReader(step.schema);
  const whole = (params: StepParams) => ({ ...step.given, ...params });
  return {
    output: step.output,
    check: (params, isDeferred) => checkBody(reader, { params: whole(params), isDeferred }, step.check),
    async order(params, payer) {
      const body = reader.read(whole(params));
      step.check(body);
      await orderUnderFaults(context, step.operation, {
        body,
        payer,
        async work(faults) {
          payer.faults = faults;
          await runWithScriptedAnswer(context.failures.fixtures, {
            name: step.operation.name,
            accountId: payer.caller.accountId,
            matchValues: step.matchValues?.(body) ?? step.operation.matchValues?.(body),
            work(scripted) {
              payer.scripted = scripted;
              return step.order(body, payer);
            },
            isCharged: () => payer.order !== undefined,
          });
        },
      });
    },
  };
}

interface StepRequest {
  body: unknown;
  payer: FlowRunPayer;
  work(faults?: RequestFaults): Promise<void>;
}

/** Orders a step of a flow under the fault rules. A hold does not stop the step itself. */
async function orderUnderFaults(
  { failures: { rules }, generation: { catalogue } }: BaseContext,
  operation: Operation,
  { body, payer, work }: StepRequest,
): Promise<void> {
  const { path, paid } = operation;
  const { gone, caller } = payer;
  const { accountId } = caller;
  const target = () => createFaultTarget({ catalogue, body }, operation, { destination: 'step', path, accountId });
  await workUnderFaults(rules, { path, accountId, paid, gone, payer, target }, work);
}

/**
 * Skips the check `further` if a value that is not known yet does not fit the schema. Returns the paths of unknown
 * fields.
 */
function checkBody<Schema extends z.ZodType>(
  reader: InputReader<Schema>,
  { params, isDeferred }: { params: StepParams; isDeferred: IsValueDeferred },
  further: (body: z.output<Schema>) => void,
): string[] {
  const body = reader.tryRead(params, isDeferred);
  if (body !== undefined) ignoreDeferredValueErrors(isDeferred, () => further(body));
  return reader.unknown(params);
}
