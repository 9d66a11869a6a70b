/** What to change in a receiver, by what it got wrong. */
export const MEND = {
  genuine:
    'Answer 2xx within 10 s to a POST whose svc-signature is t=<unix>,v1=<hex>, hex being the HMAC-SHA256 of "<t>.<raw body>" under the endpoint\'s secret. Check that the secret is the one that creating the endpoint answered, whsec_ included, and that the path takes POST.',
  type: 'Answer 2xx to every type you may subscribe to. Types that do not interest you are answered 2xx too.',
  signature:
    'Compute the HMAC-SHA256 of "<t>.<raw body>" under your secret, compare it in constant time with every v1 of svc-signature, and answer 400 when none is equal.',
  header:
    'Answer 400 when svc-signature is missing or is not t=<unix>,v1=<64 hex digits>. Compare lengths before timingSafeEqual, which throws when they differ.',
  time: 'After the signature fits, compare t with your clock and answer 400 when it is more than 300 s old: else whoever has seen one delivery can send it for ever.',
  versions:
    'Split svc-signature at its commas, take every v1, and accept when one of them fits; ignore versions that you do not know. Two appear while a secret is exchanged.',
  rawBody:
    'Verify the bytes as they came, before a JSON parser touches them: JSON that was parsed and written again is another text. Most frameworks have a raw body: express.raw(), request.text(), a content type parser.',
  duplicate:
    'Remember the id of each event you have handled, and answer 2xx to one you know: a redelivery is not an error.',
  order:
    'Deliveries may come in another order than they happened. Go by created, or read the current state from the API, and answer 2xx.',
  slowness: 'Wait for the whole body and for the whole answer to be read; raise timeouts below 10 s.',
  size: 'Raise the limit of your body parser to 2 MiB (express.raw({ limit }), Fastify bodyLimit, client_max_body_size), and answer before 10 s are over: do the work afterwards.',
  unknownType: 'Answer 2xx to types that you do not know: new ones may be added at any time.',
  unknownFields:
    'Ignore fields that you do not know, in the envelope and in data: a strict schema breaks when one is added.',
} as const;
