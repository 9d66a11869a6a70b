import bundle from 'swagger-ui-dist/swagger-ui-bundle.js?url';
import { WELL_KNOWN_KEY } from '../data/chosen-account.ts';
import './swagger.css';

/** The name that the documents give to the bearer key. */
const SCHEME = 'key';

/** As much of Swagger UI as is used here. */
interface SwaggerSystem {
  preauthorizeApiKey(scheme: string, key: string): void;
}

declare global {
  interface Window {
    SwaggerUIBundle?: (options: Record<string, unknown>) => SwaggerSystem;
  }
}

/** Draws an OpenAPI document of the emulator into an element, ready to be tried with the well-known key. */
export async function drawReference(domNode: HTMLElement, url: string): Promise<void> {
  if (!window.SwaggerUIBundle) await loadScript(bundle);
  const swagger = window.SwaggerUIBundle?.({
    domNode,
    url,
    layout: 'BaseLayout',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    filter: true,
    // No other host is asked whether the document is valid.
    validatorUrl: null,
    onComplete() {
      swagger?.preauthorizeApiKey(SCHEME, WELL_KNOWN_KEY);
      // A document has one main part, and that is the page's.
      domNode.querySelector('main')?.setAttribute('role', 'presentation');
    },
  });
}

/** It comes as it is published: built for browsers, and too large to be built once more each time. */
function loadScript(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = src;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`${src} could not be loaded.`)));
    document.head.append(script);
  });
}
