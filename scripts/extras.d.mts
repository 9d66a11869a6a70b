/** An extra that was left out, and the files of `src` that miss a module of it. */
export interface LeftOut {
  name: string;
  lists: string[];
  users: string[];
  others: string[];
}

export function extras(): LeftOut[];
