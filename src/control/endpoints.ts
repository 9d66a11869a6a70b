import { z } from 'zod';
import { positionOf } from '../base/database/setting-store.ts';
import { invalid } from '../base/errors.ts';
import { findAccount, findFirstOwner, findOwner } from '../engine/accounts/account-store.ts';
import { noWorkspace } from '../engine/accounts/accounts.ts';
import { endpointShape, endpointWithOwner } from '../engine/webhooks/endpoints.ts';
import { EVENT_TYPES, eventTypes } from '../engine/webhooks/event-schemas.ts';
import { listEndpoints, readEndpoint } from '../engine/webhooks/outbox-store.ts';
import type { Context } from '../service/http/context.ts';
import { optional, text } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { requireInboxName } from './inbox.ts';
import { accountPageQuery } from './list-page.ts';
import { Resource } from './resource.ts';

const PATH = '/_emulator/endpoints';

/** A webhook endpoint without its secret: the service's own record, and whose it is. */
const endpointRecord = endpointShape.extend({ workspace_id: z.string() });

export type EndpointRecord = z.infer<typeof endpointRecord>;

const endpoints = new Resource({
  what: 'endpoint',
  path: PATH,
  record: endpointRecord,
  find: ({ database }, id) => readEndpoint(database, id),
  view: () => endpointWithOwner,
});

export const listAllEndpoints = endpoints.list({
  name: 'listEndpoints',
  summary: 'Webhook endpoints of every workspace, newest first, without secrets.',
  query: accountPageQuery,
  isDeletable: true,
  positionOf: ({ database }, id) => positionOf(database, 'endpoints', id),
  rows({ database }, { accountId, before, limit }) {
    // An unknown account has no workspace either.
    const workspaceId = accountId && (findAccount(database, accountId)?.workspaceId ?? '');
    return listEndpoints(database, { workspaceId, before, limit });
  },
});

export const addEndpoint = operation({
  name: 'addEndpoint',
  method: 'POST',
  path: PATH,
  summary: 'Subscribes a URL or a built-in inbox to events; the secret is in this answer only.',
  access: 'local',
  body: z.object({
    url: optional(text({ min: 1 })).describe('an https URL of a public host, or a URL of this machine.'),
    inbox: optional(z.string()).describe('the name of a built-in inbox, in place of url.'),
    events: optional(eventTypes).describe(`one or more of ${EVENT_TYPES.join(', ')}; all of them without it.`),
    flow_id: optional(text()).describe('the id of a flow, to hear of the runs of that one alone.'),
    workspace_id: optional(z.string()).describe('a workspace; the seeded one without it.'),
  }),
  status: 201,
  answer: endpointRecord.extend({ secret: z.string() }),
  async handle({ context, body }) {
    const { events = [...EVENT_TYPES], flow_id: flowId = null } = body;
    const { workspaceId } = requireOwner(context, body.workspace_id);
    const wanted = { url: urlOf(context, body), events, flowId };
    const { endpoint, secret } = await context.webhooks.endpoints.create(workspaceId, wanted);
    return { ...endpoint, workspace_id: workspaceId, secret };
  },
});

export const removeEndpoint = endpoints.remove({
  name: 'removeEndpoint',
  summary: 'Ends a subscription: no event reaches that URL again.',
  remove: ({ webhooks }, { workspaceId, id }) => webhooks.removeEndpoint(workspaceId, id),
});

function urlOf({ inbox }: Context, given: { url: string | undefined; inbox: string | undefined }): string {
  if (given.url !== undefined && given.inbox === undefined) return given.url;
  if (given.inbox !== undefined && given.url === undefined) {
    return inbox.urlOf(requireInboxName(given.inbox, 'inbox'));
  }
  throw invalid('url', 'An endpoint has a url or the name of an inbox; give one of them.');
}

/** The owner of a workspace, by default of the seeded one. */
export function requireOwner({ database }: Context, id: string | undefined) {
  const owner = id === undefined ? findFirstOwner(database) : findOwner(database, id);
  if (owner) return owner;
  throw noWorkspace(id ?? '', 'workspace_id');
}
