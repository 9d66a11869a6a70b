/** The variables by which a command finds the emulator that it runs against: as the service, and as what it is. */
export function commandAddress(
  url: string,
  { key, controlToken }: { key: string; controlToken: string | undefined },
): Record<string, string> {
  const { hostname, port } = new URL(url);
  return {
    SVC_BASE_URL: url,
    SVC_API_KEY: key,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
    SVC_EMULATOR_HOST: hostname,
    SVC_EMULATOR_PORT: port,
    ...(controlToken !== undefined && { SVC_EMULATOR_CONTROL_TOKEN: controlToken }),
  };
}
