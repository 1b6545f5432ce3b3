/** Listening and stopping. */

import type { AppContext } from '#context'
import { SECOND } from '#platform/clock.ts'

import type { AnyEndpoint } from './endpoint.ts'
import { type Gatekeeper, mount } from './mount.ts'

export interface RunningServer {
  /** `http://host:port` it really listens on. */
  readonly url: string
  /** Answers what is under way, refuses what is new, for at most `DRAIN_MS`; then closes what is left. */
  stop(): Promise<void>
  /** Closes every connection at once. */
  kill(): Promise<void>
}

const DRAIN_MS = 10 * SECOND
/** Seconds without a byte before an idle connection is closed. Longer than common proxies' keep-alive (60 s). */
const IDLE_SECONDS = 75

export function listen(endpoints: readonly AnyEndpoint[], ctx: AppContext, gates: Gatekeeper): RunningServer {
  const { hostname, port } = { hostname: ctx.config.host, port: ctx.config.port }
  const app = mount(endpoints, ctx, gates)
  const largest = Math.max(1024 * 1024, ...endpoints.map((e) => e.maxBody ?? 0))
  app.listen({ hostname, port, idleTimeout: IDLE_SECONDS, maxRequestBodySize: largest + 1024 })
  const server = app.server!
  return {
    url: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${server.port}`,
    async stop() {
      ctx.lifecycle.draining = true
      const drained = server.stop(false)
      // A timer that nobody waits for any more would keep the process alive.
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, DRAIN_MS, 'late')))
      if ((await Promise.race([drained, late])) === 'late') await server.stop(true)
      clearTimeout(timer)
    },
    async kill() {
      await server.stop(true)
    },
  }
}
