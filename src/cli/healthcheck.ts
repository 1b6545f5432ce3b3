import { SECOND } from '#platform/clock.ts'
import { readHolder } from '#platform/lock.ts'

import { EXIT } from './exit-codes.ts'
import { note } from './terminal.ts'
import type { Call, Run } from './verb.ts'

/** Shorter than the timeouts of container engines (30 s), longer than a checkpoint on a slow disk. */
const TIMEOUT_MS = 5 * SECOND

export const run: Run = async (call) => {
  const url = `${serverAddress(call.config())}/actuator/health`
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
    const { status } = (await answer.json()) as { status?: unknown }
    if (answer.ok && status === 'UP') return EXIT.ok
    note(`${url} answers ${answer.status} (${String(status)}).`)
  } catch (error) {
    note(`${url} does not answer: ${(error as Error).message}`)
  }
  return EXIT.failure
}

/** The address of the server of this data directory, as seen from this machine. */
export function serverAddress(config: ReturnType<Call['config']>): string {
  return readHolder(config.dataDir)?.url ?? localAddress(config.host, config.port)
}

/** `http://host:port`. For a server that listens on all interfaces, the loopback address. */
export function localAddress(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
