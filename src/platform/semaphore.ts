/** At most `limit` tasks at once, at most `queue` waiting; one more is turned away with `onFull()`. */
export function semaphore(limit: number, queue: number, onFull: () => Error) {
  let running = 0
  const waiting: (() => void)[] = []
  return async function run<T>(task: () => Promise<T>): Promise<T> {
    if (running >= limit) {
      if (waiting.length >= queue) throw onFull()
      await new Promise<void>((go) => waiting.push(go))
    } else running += 1
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
