/** As the account that each emulator begins with. */
export const KEY = { authorization: 'Bearer svc_sk_local_emulator' };
export const HEADERS = { ...KEY, 'content-type': 'application/json' };
/** A short turn, of which the benches send thousands. */
export const CHAT = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Where does the road lead?' }] };
