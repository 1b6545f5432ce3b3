/** Lets other requests run: resolves in the next turn of the event loop. */
export const pause = (): Promise<void> => new Promise((go) => setImmediate(go))
