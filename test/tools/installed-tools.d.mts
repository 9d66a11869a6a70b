/** What the checks of the gate need, or what only the longer tests and the bench need. */
type ToolSet = 'gate' | 'long';

/** The folder `node_modules` of the packages of one set; installed at the first call, for all processes. */
export function toolModules(set?: ToolSet): Promise<string>;
/** `require` of the packages of one set. */
export function requireTool<T>(name: string, set?: ToolSet): Promise<T>;
