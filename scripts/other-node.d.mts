/** A version of Node other than the one that runs. */
export interface OtherNode {
  folder: string;
  node: string;
}

export declare const canFetchNode: boolean;
export declare function fetchNode(major: string): OtherNode;
export declare function environmentOf(other: OtherNode): NodeJS.ProcessEnv;
/** The script of npm of a major version, fetched from the registry when it is first wanted. */
export declare function fetchNpm(major: string): string;
/** The script of the conformance suite of the Model Context Protocol, which Node 22 runs. */
export declare function fetchMcpConformance(): string;
