/** A move of the clock waits for the returned promise. */
export type DueCallback = () => void | Promise<void>;

interface Due {
  at: number;
  order: number;
  task: DueCallback;
  dropped: (() => void) | undefined;
  cancelled: boolean;
}

const FEW = 1000;

export class DueQueue {
  #heap: Due[] = [];
  #order = 0;
  #cancelled = 0;

  push(at: number, task: DueCallback, dropped?: () => void): Due {
    this.#order += 1;
    const due: Due = { at, order: this.#order, task, dropped, cancelled: false };
    this.#heap.push(due);
    this.#rise(this.#heap.length - 1);
    return due;
  }

  peek(): Due | undefined {
    while (this.#heap[0]?.cancelled) this.#removeFirst();
    return this.#heap[0];
  }

  pop(): Due | undefined {
    const first = this.peek();
    if (first) this.#removeFirst();
    return first;
  }

  cancel(due: Due): void {
    if (due.cancelled) return;
    due.cancelled = true;
    this.#cancelled += 1;
    if (this.#cancelled > FEW && this.#cancelled > this.#heap.length / 2) this.#sweep();
  }

  clear(): void {
    for (const due of this.#heap.splice(0)) if (!due.cancelled) due.dropped?.();
    this.#cancelled = 0;
  }

  #sweep(): void {
    const remaining = this.#heap.filter((due) => !due.cancelled);
    this.#heap = remaining.sort((a, b) => a.at - b.at || a.order - b.order);
    this.#cancelled = 0;
  }

  #removeFirst(): void {
    if (this.#heap[0]?.cancelled) this.#cancelled -= 1;
    const last = this.#heap.pop();
    if (!last || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #before(a: number, b: number): boolean {
    const left = this.#heap[a];
    const right = this.#heap[b];
    if (!left || !right) return false;
    return left.at < right.at || (left.at === right.at && left.order < right.order);
  }

  #swap(a: number, b: number): void {
    const left = this.#heap[a];
    const right = this.#heap[b];
    if (!left || !right) return;
    this.#heap[a] = right;
    this.#heap[b] = left;
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#before(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      const least = this.#before(left + 1, left) ? left + 1 : left;
      if (!this.#before(least, at)) return;
      this.#swap(at, least);
      at = least;
    }
  }
}
