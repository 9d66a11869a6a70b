const OLDEST_NODE = [20, 19] as const;

/** What is wrong with the Node that runs this, with the remedy; undefined where nothing is. */
export function nodeFault(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return isOld ? `Node v${version} is too old: install Node ${OLDEST_NODE.join('.')} or later.` : undefined;
}

/** Throws on a Node that could not even read the program. */
export function refuseOldNode(): void {
  const fault = nodeFault();
  if (fault) throw new Error(fault);
}
