/** Says after which row so much is there: `sizeOf` in the unit of `most`. */
export function enough<Row>(most: number, sizeOf: (row: Row) => number): (row: Row) => boolean {
  let size = 0;
  return (row) => {
    size += sizeOf(row);
    return size >= most;
  };
}
