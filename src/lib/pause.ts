/** Lets other requests run: resolves in the next turn of the event loop. */
export const pause = (): Promise<void> => new Promise((go) => setImmediate(go))

/** A task on a busy machine mostly waits, and would rest for as long. */
const MAX_REST_MS = 10

/** Returns a pause for a long task that leaves others half of the time: it resolves after as long as the work since the last one has taken. */
export function restingPause(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    const ms = Math.min(performance.now() - since, MAX_REST_MS)
    await new Promise((go) => setTimeout(go, ms))
    since = performance.now()
  }
}
