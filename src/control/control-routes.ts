import type { Operation } from '../service/http/operation.ts';
import { changeAccount, createAccount, listAllAccounts, setPlan, showAccount } from './accounts.ts';
import { createNote, listRecord } from './audit.ts';
import { listEngines, listModelsHere, previewRender } from './catalogue.ts';
import { advanceClock, getClock, setClock } from './clock.ts';
import { getControlDocument, getLlmsText, getServiceDocument, listChoices, listEffects } from './documents.ts';
import { changeElement, createElement, listElements, removeElement, showElement } from './elements.ts';
import { addEndpoint, listAllEndpoints, removeEndpoint } from './endpoints.ts';
import { createFault, listAllFaults, removeFault, removeFaults } from './faults.ts';
import { addFixtures, listAllFixtures, removeFixtures } from './fixtures.ts';
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
} from './flows.ts';
import { createHold, listHolds, releaseHold, removeHold, removeHolds } from './holds.ts';
import { deleteMessages, listInboxes, listMessages, verifyReceiver } from './inbox.ts';
import { getHealth, getInstance, getInvariants, getReady, openSession, resetEmulator, streamLive } from './instance.ts';
import { finish, listAllJobs, showJob } from './jobs.ts';
import { deleteRequests, judge, listRequests, showRequest } from './journal.ts';
import { addKey, listAccountKeys, revokeKey, showKey } from './keys.ts';
import { listUsage, showBalance, showLedgerEntry, topUpCredits } from './ledger.ts';
import {
  listLibrary,
  listOwnedObjects,
  removeFromLibrary,
  renderAgain,
  showEntry,
  showOwnedObject,
} from './library.ts';
import { listLies } from './lies/list-lies.ts';
import { explain, listOrders, showTrail } from './orders/order-operations.ts';
import { priceRequest } from './orders/price-order.ts';
import { getProgression, setProgression } from './progression.ts';
import { cancelRun, clickRun, listAllRuns, showRun, startRun } from './runs.ts';
import { searchRecord } from './search/search-operations.ts';
import {
  exportSnapshot,
  importSnapshot,
  listSnapshots,
  removeSnapshot,
  restoreSnapshot,
  saveSnapshot,
} from './snapshots.ts';
import { summarizeAll, summarizeSpending } from './spending.ts';
import { saveRunTrace, saveTrace } from './trace/save-trace.ts';
import { endUnit, listUnits } from './units.ts';
import { waitFor } from './wait.ts';
import { listAllDeliveries, listAllEvents, redeliver, showDelivery, showEvent, triggerEvent } from './webhooks.ts';

/** The emulator's own surface. Nothing else registers a path under /_emulator. */
export const CONTROL = [
  ...[getHealth, getReady, getInstance, resetEmulator, getInvariants],
  ...[getClock, setClock, advanceClock],
  ...[createAccount, listAllAccounts, showAccount, changeAccount, setPlan],
  ...[listUnits, endUnit],
  ...[addKey, listAccountKeys, showKey, revokeKey],
  ...[topUpCredits, listUsage, showLedgerEntry, showBalance],
  ...[summarizeSpending, summarizeAll],
  ...[getProgression, setProgression, listAllJobs, showJob, finish, waitFor],
  ...[listEngines, listModelsHere],
  ...[listLibrary, showEntry, removeFromLibrary, renderAgain],
  ...[listOwnedObjects, showOwnedObject, priceRequest, previewRender],
  ...[createElement, listElements, showElement, changeElement, removeElement],
  ...[listAllEndpoints, addEndpoint, removeEndpoint],
  ...[listAllEvents, showEvent, listAllDeliveries, showDelivery, redeliver, triggerEvent],
  ...[listInboxes, listMessages, deleteMessages, verifyReceiver],
  ...[listRequests, showRequest, deleteRequests, explain, judge],
  ...[searchRecord, listOrders, showTrail, listRecord, createNote],
  ...[saveTrace, saveRunTrace],
  ...[streamLive, openSession],
  ...[createFault, listAllFaults, removeFaults, removeFault, listEffects, listLies],
  listChoices,
  ...[createHold, listHolds, removeHolds, removeHold, releaseHold],
  ...[getServiceDocument, getControlDocument, getLlmsText],
  ...[saveSnapshot, listSnapshots, restoreSnapshot, removeSnapshot, exportSnapshot, importSnapshot],
  ...[addFixtures, listAllFixtures, removeFixtures],
  ...[createFlow, listAllFlows, showFlow, changeFlow, removeFlow],
  ...[exportFlow, importFlow, rollFlow, checkFlow],
  ...[startRun, listAllRuns, showRun, clickRun, cancelRun],
] as const satisfies readonly Operation[];
