import { SERVICE } from '../api/routes.ts';
import { HOOKS } from '../hooks/call-flow.ts';
import { VERSION } from '../package/version.ts';
import { describeEvents } from './described-events.ts';
import type { JsonSchema } from './json-schema.ts';
import { describeOperations } from './openapi-document.ts';

/** The interface version of the service that is emulated. */
const INTERFACE_VERSION = '1.0.0';

/** The documents of the service and of the control surface, each made when it is first asked for. */
export class EmulatorDocuments {
  #service: JsonSchema | undefined;
  #control: JsonSchema | undefined;

  service(): JsonSchema {
    this.#service ??= describeOperations(SERVICE, {
      title: 'Credit-metered generative media',
      version: INTERFACE_VERSION,
      description: 'Chat, images, video, speech, transcription, music, storage and webhooks.',
      events: describeEvents(),
    });
    return this.#service;
  }

  async control(): Promise<JsonSchema> {
    // It is among the operations that it describes, which a start does not load.
    const { CONTROL } = await import('../control/control-routes.ts');
    this.#control ??= describeOperations([...CONTROL, ...HOOKS], {
      title: 'svc-emulator control surface',
      version: VERSION,
      description: 'Time, failure, money and everything else that only an emulator has.',
    });
    return this.#control;
  }
}
