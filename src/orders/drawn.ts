/** A text, or an element with its attributes and what is inside: the dashboard draws it, explore's report prints it. */
export type Drawn = string | readonly [tag: string, attributes: Record<string, unknown> | null, ...inside: Drawn[]];
