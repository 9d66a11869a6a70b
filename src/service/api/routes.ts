import type { Operation } from '../http/operation.ts';
import { getAccount } from './account/get-account.ts';
import { createSpeech } from './audio/create-speech.ts';
import { createTranscription } from './audio/create-transcription.ts';
import { createChatCompletion } from './chat/create-chat-completion.ts';
import { createImage } from './images/create-image.ts';
import { listModels } from './models/list-models.ts';
import { createSong } from './music/create-song.ts';
import { getSong, getVideo } from './poll-job.ts';
import { deleteObject, listObjects, uploadObject } from './storage/objects.ts';
import { createVideo } from './videos/create-video.ts';
import { createWebhook, deleteWebhook, listWebhooks, sampleWebhooks } from './webhooks/webhooks.ts';

export const SERVICE: readonly Operation[] = [
  createChatCompletion, // POST   /v1/chat/completions
  createImage, //          POST   /v1/images/generations
  createVideo, //          POST   /v1/videos/generations
  getVideo, //             GET    /v1/videos/generations/:id
  createSpeech, //         POST   /v1/audio/speech
  createTranscription, //  POST   /v1/audio/transcriptions
  uploadObject, //         POST   /v1/storage/objects
  listObjects, //          GET    /v1/storage/objects
  deleteObject, //         DELETE /v1/storage/objects/:id
  listModels, //           GET    /v1/models
  getAccount, //           GET    /v1/account
  createSong, //           POST   /v1/music/generations
  getSong, //              GET    /v1/music/generations/:id
  listWebhooks, //         GET    /v1/webhooks
  createWebhook, //        POST   /v1/webhooks
  sampleWebhooks, //       GET    /v1/webhooks/samples
  deleteWebhook, //        DELETE /v1/webhooks/:id
];
