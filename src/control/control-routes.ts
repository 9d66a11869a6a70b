import type { Operation } from '../http/operation.ts';
import {
  addKey,
  createAccount,
  listAllAccounts,
  listUsage,
  revokeKey,
  setPlan,
  showAccount,
  topUpCredits,
} from './account-control.ts';
import { advanceClock, getClock, setClock } from './clock-control.ts';
import { createFlow, listAllFlows, removeFlow, showFlow } from './flow-control.ts';
import { getHealth, getInvariants, getReady, resetEmulator } from './instance.ts';
import { deleteRequests, listRequests } from './journal-control.ts';
import {
  createElement,
  listAllJobs,
  listElements,
  listEngines,
  listLibrary,
} from './material-control.ts';
import { getControlDocument, getServiceDocument } from './openapi-control.ts';
import { listAllDeliveries, listAllEvents, redeliver, triggerEvent } from './webhook-control.ts';

/** The emulator's own surface. Nothing else registers a path under /_emulator. */
export const CONTROL: readonly Operation[] = [
  ...[getHealth, getReady, resetEmulator, getInvariants],
  ...[getClock, setClock, advanceClock],
  ...[
    createAccount,
    listAllAccounts,
    showAccount,
    addKey,
    revokeKey,
    topUpCredits,
    listUsage,
    setPlan,
  ],
  ...[listEngines, listAllJobs, listLibrary, createElement, listElements],
  ...[listAllEvents, listAllDeliveries, redeliver, triggerEvent],
  ...[listRequests, deleteRequests],
  ...[getServiceDocument, getControlDocument],
  ...[createFlow, listAllFlows, showFlow, removeFlow],
];
