/** Starts the load generator and sends it runs. */

import type { LoadResult, LoadSpec } from './load-spec.ts'

export interface LoadClient {
  run(spec: LoadSpec): Promise<LoadResult>
  stop(): void
}

export function startLoad(): LoadClient {
  const waiting = new Map<number, { resolve: (r: LoadResult) => void; reject: (e: Error) => void }>()
  let id = 0
  const child = Bun.spawn([process.execPath, new URL('../load.ts', import.meta.url).pathname], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc(message: { id: number; result?: LoadResult; error?: string }) {
      const caller = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.result) caller?.resolve(message.result)
      else caller?.reject(new Error(`load generator: ${message.error}`))
    },
    onExit() {
      for (const caller of waiting.values()) caller.reject(new Error('the load generator exited'))
    },
  })
  return {
    run(spec) {
      const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()
      waiting.set(++id, { resolve, reject })
      child.send({ id, spec })
      return promise
    },
    stop: () => child.kill(),
  }
}
