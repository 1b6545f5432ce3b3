/** Starts `count` calls at once and waits for all of them. */
export function race<T>(count: number, call: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => call(i)))
}
