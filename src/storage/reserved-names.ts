/** Names of files that are in use, and by how many. */
export class ReservedNames {
  readonly #counts = new Map<string, number>();

  has(name: string): boolean {
    return this.#counts.has(name);
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  remove(name: string): void {
    const others = (this.#counts.get(name) ?? 1) - 1;
    if (others > 0) this.#counts.set(name, others);
    else this.#counts.delete(name);
  }
}
