import type { Operation } from '../service/http/operation.ts';
import {
  addKey,
  changeAccount,
  createAccount,
  endUnit,
  listAccountKeys,
  listAllAccounts,
  listUnits,
  revokeKey,
  setPlan,
  showAccount,
  showKey,
} from './accounts.ts';
import { advanceClock, getClock, setClock } from './clock.ts';
import {
  getControlDocument,
  getLlmsText,
  getServiceDocument,
  listChoices,
  listEffects,
  listEngines,
  listModelsHere,
  previewRender,
} from './documents.ts';
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
import { finish, getProgression, listAllJobs, setProgression, showJob } from './jobs.ts';
import { createNote, deleteRequests, judge, listRecord, listRequests, showRequest } from './journal.ts';
import { listUsage, showBalance, showLedgerEntry, summarizeAll, summarizeSpending, topUpCredits } from './ledger.ts';
import {
  changeElement,
  createElement,
  listElements,
  listLibrary,
  listOwnedObjects,
  removeElement,
  removeFromLibrary,
  renderAgain,
  showElement,
  showEntry,
  showOwnedObject,
} from './library.ts';
import { listLies } from './lies/lie-table.ts';
import { explain, listOrders, showTrail } from './orders/order-operations.ts';
import { priceRequest } from './orders/price-order.ts';
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
import { saveRunTrace, saveTrace } from './trace/save-trace.ts';
import { waitFor } from './wait.ts';
import {
  addEndpoint,
  listAllDeliveries,
  listAllEndpoints,
  listAllEvents,
  redeliver,
  removeEndpoint,
  showDelivery,
  showEvent,
  triggerEvent,
} from './webhooks.ts';

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
