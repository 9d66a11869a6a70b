import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { EmulatorError, systemErrorCode, translateDiskError } from '../base/errors.ts';
import { describeSystemLimit } from '../base/load-or-start-error.ts';
import type { ClipRenderer } from './clip/render-clip.ts';
import { Ffmpeg } from './ffmpeg.ts';
import type { RenderResult, WorkerInstruction, WorkerReport, WorkerSetup } from './pool-worker.ts';
import type { ImageRequest, RenderedFile, RenderRequest, RenderTools } from './render-request.ts';
import type { SceneAssets } from './scene/painter.ts';

/**
 * By how much the priority of renders is lowered. On a shared core they then get a third of the service's time. With a
 * tenth, renders waited for every small task.
 */
const LOWER_BY = 5;
const setup = workerData as WorkerSetup;
const ffmpeg = new Ffmpeg({ path: setup.ffmpegPath, timeLimitMs: setup.timeLimitMs });
const engines: { kit?: SceneAssets; clip?: ClipRenderer } = {};
const running = new Map<number, AbortController>();

// On Linux this applies to this thread and the processes that it starts. A process may not raise a low priority.
if (process.platform === 'linux') setPriority(0, Math.min(constants.priority.PRIORITY_LOW, getPriority() + LOWER_BY));

parentPort?.on('message', (order: WorkerInstruction) => {
  if (order.kind === 'cancel') running.get(order.id)?.abort();
  if (order.kind === 'render') void run(order);
  if (order.kind === 'warm') warm().catch(() => undefined);
});

async function run(order: Extract<WorkerInstruction, { kind: 'render' }>): Promise<void> {
  const { id, request, target } = order;
  const controller = new AbortController();
  running.set(id, controller);
  const tools = toolsFor(controller.signal);
  try {
    report({ kind: 'done', id, ...(await render(request, target, tools)) });
  } catch (error) {
    report({ kind: 'failed', id, ...fault(error) });
  } finally {
    running.delete(id);
  }
}

function toolsFor(signal: AbortSignal): RenderTools {
  return { ffmpeg, signal, scratchFolder: setup.scratchFolder };
}

/**
 * Loads sharp, which takes longest, before the first render. Drawing a whole picture would hardly save more time, and
 * hold 15 MiB more.
 */
async function warm(): Promise<void> {
  const { renderSvgToPng } = await import('./picture/render-svg.ts');
  await renderSvgToPng({ width: 1, height: 1 }, '');
}

async function render(request: RenderRequest, target: string, tools: RenderTools): Promise<RenderResult> {
  if (request.kind === 'image') return picture(request);
  return { file: await renderFile(request, target, tools) };
}

async function renderFile(
  request: Exclude<RenderRequest, ImageRequest>,
  target: string,
  tools: RenderTools,
): Promise<RenderedFile> {
  switch (request.kind) {
    case 'clip':
      return (await clipRenderer()).render(request, target, tools);
    case 'speech':
      return (await import('./speech/render-speech.ts')).renderSpeech(request, target, tools);
    case 'thumbnail':
      return (await import('./picture/render-picture.ts')).renderThumbnail(request, target, tools);
    case 'song':
      return (await import('./song/render-song.ts')).renderSong(request, target, tools);
  }
}

async function clipRenderer(): Promise<ClipRenderer> {
  const { ClipRenderer } = await import('./clip/render-clip.ts');
  engines.clip ??= new ClipRenderer(await sceneKit());
  return engines.clip;
}

async function sceneKit(): Promise<SceneAssets> {
  const { loadSceneAssets } = await import('./scene/painter.ts');
  engines.kit ??= loadSceneAssets();
  return engines.kit;
}

async function picture(request: ImageRequest): Promise<RenderResult> {
  const { renderPicture } = await import('./picture/render-picture.ts');
  // Copies the bytes into memory of their own, which can be transferred.
  const content = new Uint8Array(await renderPicture(await sceneKit(), request));
  return { file: { bytes: content.length, contentType: 'image/png' }, content };
}

function fault(error: unknown): Omit<Extract<WorkerReport, { kind: 'failed' }>, 'kind' | 'id'> {
  const known = translateDiskError(error);
  const system = error instanceof EmulatorError ? undefined : systemErrorCode(error);
  const cause = system === undefined ? undefined : { code: system };
  if (known instanceof EmulatorError) return { code: known.code, message: known.message, param: known.param, cause };
  const reason = describeSystemLimit(error) ?? (error instanceof Error ? error.message : String(error));
  return { code: 'render_failed', message: `The render engine failed: ${reason}`, param: null, cause };
}

function report(message: WorkerReport): void {
  const content = message.kind === 'done' ? message.content : undefined;
  parentPort?.postMessage(message, content ? [content.buffer as ArrayBuffer] : []);
}
