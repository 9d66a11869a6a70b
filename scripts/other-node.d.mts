/** A version of Node beside the one that runs. */
export interface OtherNode {
  folder: string;
  node: string;
}

export declare const canFetchNode: boolean;
export declare function fetchNode(major: string): OtherNode;
export declare function environmentOf(other: OtherNode): NodeJS.ProcessEnv;
