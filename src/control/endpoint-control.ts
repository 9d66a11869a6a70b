import { z } from 'zod';
import { findAccount, findFirstOwner, findOwner } from '../accounts/account-store.ts';
import { noWorkspace } from '../accounts/accounts.ts';
import { invalid } from '../errors.ts';
import type { Context } from '../http/context.ts';
import { optional, text } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { NoContent } from '../http/reply.ts';
import { listEndpoints, readEndpoint, readEndpointPosition } from '../webhooks/endpoint-store.ts';
import { endpointShape, endpointWithOwner } from '../webhooks/endpoints.ts';
import { EVENT_TYPES, eventTypes } from '../webhooks/event-types.ts';
import { accountPageQuery, listAnswer, listOf, noSuch, rowAfter, STANDARD_LIMIT } from './list-page.ts';
import { requireInboxName } from './mount-inbox.ts';

const PATH = '/_emulator/endpoints';

/** A webhook endpoint without its secret: the service's own record, and whose it is. */
export const endpointRecord = endpointShape.extend({ workspace_id: z.string() });

export type EndpointRecord = z.infer<typeof endpointRecord>;

export const listAllEndpoints = operation({
  name: 'listEndpoints',
  method: 'GET',
  path: PATH,
  summary: 'Webhook endpoints of every workspace, newest first, without secrets.',
  access: 'local',
  query: accountPageQuery,
  answer: listAnswer(endpointRecord),
  handle({ context: { database }, query }) {
    const { account_id: accountId, after, limit = STANDARD_LIMIT } = query;
    const before = rowAfter(database, after, (id) => readEndpointPosition(database, id));
    // An account that there is not has no workspace either.
    const workspaceId = accountId && (findAccount(database, accountId)?.workspaceId ?? '');
    return listOf(listEndpoints(database, { workspaceId, before, limit }).map(endpointWithOwner));
  },
});

export const addEndpoint = operation({
  name: 'addEndpoint',
  method: 'POST',
  path: PATH,
  summary: 'Subscribes a URL or a built-in inbox to events; the secret is told in this answer only.',
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
    const workspaceId = requireWorkspace(context, body.workspace_id);
    const wanted = { url: urlOf(context, body), events, flowId };
    const { endpoint, secret } = await context.webhooks.createEndpoint(workspaceId, wanted);
    return { ...endpoint, workspace_id: workspaceId, secret };
  },
});

export const removeEndpoint = operation({
  name: 'removeEndpoint',
  method: 'DELETE',
  path: `${PATH}/:id`,
  summary: 'Ends a subscription: no event reaches that URL again.',
  access: 'local',
  status: 204,
  answer: 'nothing',
  async handle(call) {
    const { context } = call;
    const id = call.param('id');
    const was = readEndpoint(context.database, id);
    if (was && (await context.webhooks.removeEndpoint(was.workspaceId, id))) {
      context.record.deleted(id, endpointWithOwner(was));
      return new NoContent();
    }
    throw noSuch('endpoint', PATH, id);
  },
});

function requireWorkspace({ database }: Context, id: string | undefined): string {
  const owner = id === undefined ? findFirstOwner(database) : findOwner(database, id);
  if (owner) return owner.workspaceId;
  throw noWorkspace(id ?? '', 'workspace_id');
}

function urlOf({ inbox }: Context, given: { url: string | undefined; inbox: string | undefined }): string {
  if (given.url !== undefined && given.inbox === undefined) return given.url;
  if (given.inbox !== undefined && given.url === undefined) {
    return inbox.urlOf(requireInboxName(given.inbox, 'inbox'));
  }
  throw invalid('url', 'An endpoint has a url or the name of an inbox; give one of them.');
}
