/** Starts the socket clients and sends them commands. */

import type { SocketCommand, SocketResult } from './socket-spec.ts'

export interface SocketClients {
  run(command: SocketCommand): Promise<SocketResult>
  stop(): void
}

export function startSockets(): SocketClients {
  const waiting = new Map<number, PromiseWithResolvers<SocketResult>>()
  let id = 0
  const child = Bun.spawn([process.execPath, new URL('../sockets.ts', import.meta.url).pathname], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc(message: { id: number; result?: SocketResult; error?: string }) {
      const caller = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.result) caller?.resolve(message.result)
      else caller?.reject(new Error(`socket clients: ${message.error}`))
    },
    onExit() {
      for (const caller of waiting.values()) caller.reject(new Error('the socket clients exited'))
    },
  })
  return {
    run(command) {
      const caller = Promise.withResolvers<SocketResult>()
      waiting.set(++id, caller)
      child.send({ id, command })
      return caller.promise
    },
    stop: () => child.kill(),
  }
}
