import type { Operation } from '../http/operation.ts';
import { changeAccount, createAccount, listAllAccounts, setPlan, showAccount } from './account-control.ts';
import { advanceClock, getClock, setClock } from './clock-control.ts';
import { listEffects } from './effect-control.ts';
import { changeElement, createElement, listElements, removeElement, showElement } from './element-control.ts';
import { addEndpoint, listAllEndpoints, removeEndpoint } from './endpoint-control.ts';
import { explain } from './explain-control.ts';
import { createFault, listAllFaults, removeFault, removeFaults } from './fault-control.ts';
import { addFixtures, listAllFixtures, removeFixtures } from './fixture-control.ts';
import {
  changeFlow,
  checkFlow,
  createFlow,
  exportFlow,
  importFlow,
  listAllFlows,
  removeFlow,
  rollFlow,
  showFlow,
} from './flow-control.ts';
import { createHold, listHolds, releaseHold, removeHold, removeHolds } from './hold-control.ts';
import { deleteMessages, listInboxes, listMessages } from './inbox-control.ts';
import { getHealth, getInstance, getInvariants, getReady, resetEmulator } from './instance.ts';
import { finish, listAllJobs, showJob } from './job-control.ts';
import { deleteRequests, listRequests, showRequest } from './journal-control.ts';
import { addKey, listAccountKeys, revokeKey, showKey } from './key-control.ts';
import { listUsage, showBalance, showLedgerEntry, topUpCredits } from './ledger-control.ts';
import { listLibrary, removeFromLibrary, renderAgain, showEntry } from './library-control.ts';
import { openSession, streamLive } from './live-control.ts';
import { listEngines, listModelsHere } from './material-control.ts';
import { listOwnedObjects, showOwnedObject } from './object-control.ts';
import { getControlDocument, getServiceDocument } from './openapi-control.ts';
import { listOrders } from './order-control.ts';
import { previewRender } from './preview-control.ts';
import { priceRequest } from './price-control.ts';
import { getProgression, setProgression } from './progression-control.ts';
import { getLlmsText } from './reading-control.ts';
import { listRecord } from './record-control.ts';
import { cancelRun, clickRun, listAllRuns, showRun, startRun } from './run-control.ts';
import { searchRecord } from './search-control.ts';
import {
  exportSnapshot,
  importSnapshot,
  listSnapshots,
  removeSnapshot,
  restoreSnapshot,
  saveSnapshot,
} from './snapshot-control.ts';
import { setBudget, summarizeAll, summarizeSpending } from './spending-control.ts';
import { saveRunTrace, saveTrace } from './trace-control.ts';
import { showTrail } from './trail-control.ts';
import { judge } from './verdict-control.ts';
import { verifyReceiver } from './verify-control.ts';
import { waitFor } from './wait-control.ts';
import {
  listAllDeliveries,
  listAllEvents,
  redeliver,
  showDelivery,
  showEvent,
  triggerEvent,
} from './webhook-control.ts';

/** The emulator's own surface. Nothing else registers a path under /_emulator. */
export const CONTROL = [
  ...[getHealth, getReady, getInstance, resetEmulator, getInvariants],
  ...[getClock, setClock, advanceClock],
  ...[createAccount, listAllAccounts, showAccount, changeAccount, setPlan],
  ...[addKey, listAccountKeys, showKey, revokeKey],
  ...[topUpCredits, listUsage, showLedgerEntry, showBalance],
  ...[setBudget, summarizeSpending, summarizeAll],
  ...[getProgression, setProgression, listAllJobs, showJob, finish, waitFor],
  ...[listEngines, listModelsHere],
  ...[listLibrary, showEntry, removeFromLibrary, renderAgain],
  ...[listOwnedObjects, showOwnedObject, priceRequest, previewRender],
  ...[createElement, listElements, showElement, changeElement, removeElement],
  ...[listAllEndpoints, addEndpoint, removeEndpoint],
  ...[listAllEvents, showEvent, listAllDeliveries, showDelivery, redeliver, triggerEvent],
  ...[listInboxes, listMessages, deleteMessages, verifyReceiver],
  ...[listRequests, showRequest, deleteRequests, explain, judge],
  ...[searchRecord, listOrders, showTrail, listRecord],
  ...[saveTrace, saveRunTrace],
  ...[streamLive, openSession],
  ...[createFault, listAllFaults, removeFaults, removeFault, listEffects],
  ...[createHold, listHolds, removeHolds, removeHold, releaseHold],
  ...[getServiceDocument, getControlDocument, getLlmsText],
  ...[saveSnapshot, listSnapshots, restoreSnapshot, removeSnapshot, exportSnapshot, importSnapshot],
  ...[addFixtures, listAllFixtures, removeFixtures],
  ...[createFlow, listAllFlows, showFlow, changeFlow, removeFlow],
  ...[exportFlow, importFlow, rollFlow, checkFlow],
  ...[startRun, listAllRuns, showRun, clickRun, cancelRun],
] as const satisfies readonly Operation[];
