/**
 * Returns a function that resolves after a run of `run` that begins after the call. All who call it before that run begins share it, and runs
 * never overlap.
 */
export function sharedRuns(run: () => Promise<void>): () => Promise<void> {
  let waiting: PromiseWithResolvers<void> | undefined
  let isRunning = false

  async function runWhileWaiting(): Promise<void> {
    while (waiting !== undefined) {
      const { resolve, reject } = waiting
      waiting = undefined
      try {
        await run()
        resolve()
      } catch (error) {
        reject(error)
      }
    }
    isRunning = false
  }

  return () => {
    if (waiting === undefined) {
      waiting = Promise.withResolvers<void>()
      if (!isRunning) {
        isRunning = true
        // First let the event loop handle all requests that have arrived.
        setImmediate(() => void runWhileWaiting())
      }
    }
    return waiting.promise
  }
}
