/** Texts as code units, of which `count` are meant. */
export interface Units {
  units: Uint16Array;
  count: number;
}

/** Where a text was found, as positions of code units; answers whether that is one, else a shorter one that ends there is tried. */
export type OnFound = (from: number, to: number) => boolean;

const ROOT = 0;
const NONE = -1;

/**
 * Finds any of many texts in one pass (Aho and Corasick, 1975): the time depends on the length of what is searched, and
 * not on how many texts are looked for. Edges are kept in a table of open addressing, so that a step takes the same time
 * however many of them leave a node.
 */
export class MultiPatternMatcher {
  /** Of the longest, in code units; 0 where there are none. */
  readonly longest: number;
  readonly #parents: Int32Array;
  readonly #letters: Uint16Array;
  readonly #depths: Int32Array;
  readonly #fallbacks: Int32Array;
  /** The longest text that ends at a node, as the node at which it ends; `ROOT` for none. */
  readonly #ends: Int32Array;
  readonly #edges: Int32Array;
  #nodes = 1;

  constructor(texts: Iterable<string>) {
    const patterns = [...new Set(texts)].filter((text) => text !== '');
    const most = patterns.reduce((sum, { length }) => sum + length, 1);
    this.longest = patterns.reduce((longest, { length }) => Math.max(longest, length), 0);
    this.#parents = new Int32Array(most);
    this.#letters = new Uint16Array(most);
    this.#depths = new Int32Array(most);
    this.#fallbacks = new Int32Array(most);
    this.#ends = new Int32Array(most);
    this.#edges = new Int32Array(2 ** Math.ceil(Math.log2(2 * most))).fill(NONE);
    for (const pattern of patterns) this.#add(pattern);
    this.#link();
  }

  find({ units, count }: Units, onFound: OnFound): void {
    if (this.longest === 0) return;
    let node = ROOT;
    for (let at = 0; at < count; at += 1) {
      node = this.#after(node, units[at] ?? 0);
      let end = this.#ends[node] ?? ROOT;
      while (end !== ROOT && !onFound(at + 1 - (this.#depths[end] ?? 0), at + 1)) {
        end = this.#ends[this.#fallbacks[end] ?? ROOT] ?? ROOT;
      }
    }
  }

  #add(pattern: string): void {
    let node = ROOT;
    for (let at = 0; at < pattern.length; at += 1) {
      const letter = pattern.charCodeAt(at);
      const slot = this.#slot(node, letter);
      const known = this.#edges[slot] ?? NONE;
      node = known === NONE ? this.#grow(slot, node, letter) : known;
    }
    this.#ends[node] = node;
  }

  #grow(slot: number, parent: number, letter: number): number {
    const node = this.#nodes;
    this.#nodes += 1;
    this.#parents[node] = parent;
    this.#letters[node] = letter;
    this.#depths[node] = (this.#depths[parent] ?? 0) + 1;
    this.#edges[slot] = node;
    return node;
  }

  /** Where one falls back to from each node, shallow ones first: the longest beginning of a text that ends there as well. */
  #link(): void {
    for (const node of this.#byDepth()) {
      const parent = this.#parents[node] ?? ROOT;
      const fallback = parent === ROOT ? ROOT : this.#after(this.#fallbacks[parent] ?? ROOT, this.#letters[node] ?? 0);
      this.#fallbacks[node] = fallback;
      if (this.#ends[node] === ROOT) this.#ends[node] = this.#ends[fallback] ?? ROOT;
    }
  }

  /** All nodes but the root: counted by depth, each has its place. */
  #byDepth(): Int32Array {
    const places = new Int32Array(this.longest + 2);
    const depths = this.#depths.subarray(1, this.#nodes);
    for (const depth of depths) places[depth + 1] = (places[depth + 1] ?? 0) + 1;
    for (let depth = 1; depth < places.length; depth += 1) {
      places[depth] = (places[depth] ?? 0) + (places[depth - 1] ?? 0);
    }
    const nodes = new Int32Array(depths.length);
    depths.forEach((depth, at) => {
      const place = places[depth] ?? 0;
      places[depth] = place + 1;
      nodes[place] = at + 1;
    });
    return nodes;
  }

  #after(from: number, letter: number): number {
    for (let node = from; ; node = this.#fallbacks[node] ?? ROOT) {
      const next = this.#edges[this.#slot(node, letter)] ?? NONE;
      if (next !== NONE) return next;
      if (node === ROOT) return ROOT;
    }
  }

  /** The table index of a letter's edge, or the free one for it. */
  #slot(node: number, letter: number): number {
    const last = this.#edges.length - 1;
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(letter, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & last;
    for (;;) {
      const child = this.#edges[slot] ?? NONE;
      if (child === NONE || (this.#parents[child] === node && this.#letters[child] === letter)) return slot;
      slot = (slot + 1) & last;
    }
  }
}
