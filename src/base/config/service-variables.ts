/** The variables by which a command finds the service at an address without /v1, and its key. */
export function serviceVariables({ url, key }: { url: string; key: string }): Record<string, string> {
  return { SVC_BASE_URL: url, SVC_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key };
}
