/** The folder `node_modules` of the packages that only checks need; installed at the first call, for all processes. */
export function toolModules(): Promise<string>;
/** `require` of these packages. */
export function requireTool<T>(name: string): Promise<T>;
