import { type Config, hasTls } from '#config/config.ts'
import { SECOND } from '#platform/clock.ts'
import { readHolder } from '#platform/lock.ts'
import { networkReason } from '#platform/outgoing.ts'

import { EXIT, Refusal } from './exit-codes.ts'
import { note } from './terminal.ts'
import type { Call, Run } from './verb.ts'

/** Shorter than the timeouts of container engines (30 s), longer than a checkpoint on a slow disk. */
const TIMEOUT_MS = 5 * SECOND

export const run: Run = async (call) => {
  const { options } = call
  if (options.has('live') && options.has('ready'))
    throw new Refusal('--live and --ready cannot be used together: set only one of them.', EXIT.usage)
  const kind = options.has('live') ? '/live' : options.has('ready') ? '/ready' : ''
  const url = `${serverAddress(call.config())}/actuator/health${kind}`
  try {
    const answer = await fetchLocal(url)
    const { status, reason } = (await answer.json()) as { status?: unknown; reason?: unknown }
    if (answer.ok && status === 'UP') return EXIT.ok
    note(`${url} answers ${answer.status} (${[status, reason].filter((word) => word !== undefined).join(', ')}).`)
  } catch (error) {
    note(`${url} does not answer: ${networkReason(error)}`)
  }
  return EXIT.failure
}

/** Asks the server on this machine. Its certificate is for the name by which others know it. */
export const fetchLocal = (url: string): Promise<Response> =>
  fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error', tls: { rejectUnauthorized: false } })

/** The address of the server of this data directory, as seen from this machine. */
export function serverAddress(config: ReturnType<Call['config']>): string {
  return readHolder(config.dataDir)?.url ?? localAddress(config)
}

/** `http://host:port` or `https://host:port`. For a server that listens on all interfaces, the loopback address. */
export function localAddress(config: Config): string {
  const { host, port } = config
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${hasTls(config) ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`
}
