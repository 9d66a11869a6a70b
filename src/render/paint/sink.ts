/** How much of each pixel a shape covers, in eighths, for one row of pixels or a part of it. */
export interface Sink {
  /** Pixels from `left` to before `right` that are wholly covered. */
  full(y: number, left: number, right: number): void;
  edge(x: number, y: number, step: number): void;
}

export interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
