/** Listens for requests, and stops in an orderly way. */

import type { Server } from 'bun'

import { defaultConfig } from '#config/config.ts'
import type { AppContext } from '#context'
import type { Certificate } from '#platform/certificate.ts'
import { SECOND } from '#platform/clock.ts'

import type { AnyEndpoint } from './endpoint.ts'
import { Listeners } from './listeners.ts'
import { type Gatekeeper, mount } from './mount.ts'
import { listenPlain } from './plain-http.ts'
import { type Connection } from './sockets/connection.ts'
import { socketsOfServer } from './sockets/sockets.ts'
import { type CertificateSource, watchCertificate } from './tls.ts'

export interface RunningServer {
  /**
   * `http://host:port` or `https://host:port`, with the port that was chosen if the configured one is 0. While there is no certificate yet, that
   * of the port on the loopback address.
   */
  readonly url: string
  /** That of the configuration, or the one that was chosen. */
  readonly port: number
  /** Of plain HTTP beside HTTPS; null if there is none. */
  readonly plainPort: number | null
  /** Undefined unless there is no certificate yet: then it resolves with the address when HTTPS answers. */
  readonly opening: Promise<string> | undefined
  /**
   * Finishes running requests and refuses new ones for at most `DRAIN_MS`, then closes all connections. Before that, the port stays open
   * for `Config.drainSeconds`, or for `FAREWELL_MS` if the stop is `urgent`.
   */
  stop(urgent?: boolean): Promise<void>
  /** Closes every connection at once. */
  kill(): Promise<void>
}

const DRAIN_MS = 10 * SECOND
/**
 * At the end of the time in which the port stays open, new requests are answered with 503 and their connections closed, so that clients with
 * an open connection learn when to try again. Requests that arrive after the port is closed are only reset. Milliseconds.
 */
const FAREWELL_MS = 250
/** An idle connection is closed after this many seconds; longer than the keep-alive of common proxies (60 s). */
const IDLE_SECONDS = 75

export interface ListenOptions {
  /** Seconds until an idle connection is closed. */
  readonly idleTimeout?: number | undefined
  /** For HTTPS. */
  readonly certificates?: CertificateSource | undefined
}

export function listen(
  endpoints: readonly AnyEndpoint[],
  ctx: AppContext,
  gates: Gatekeeper,
  { idleTimeout = IDLE_SECONDS, certificates }: ListenOptions = {},
): RunningServer {
  const { hostname, port } = { hostname: ctx.config.host, port: ctx.config.port }
  const app = mount(endpoints, ctx, gates)
  const largest = Math.max(1024 * 1024, ...endpoints.map((e) => e.maxBody ?? 0))
  // Elysia's default lets other programs of the same user listen on the port too, and the kernel would share the connections.
  const sockets = socketsOfServer(ctx)
  const options = {
    hostname,
    reusePort: false,
    // Its page for errors that no code caught shows the source.
    development: false,
    idleTimeout,
    maxRequestBodySize: largest + 1024,
    // Bun's own handlers: those of Elysia are part of its routes, which do not work for a host of less than four characters.
    websocket: sockets.handler,
  }
  const listenElysia = (at: { readonly hostname: string; readonly port: number; readonly tls?: Certificate }) => {
    app.listen({ ...options, ...at, websocket: options.websocket as never })
    return app.server! as Server<unknown> as Server<Connection>
  }
  const opening = Promise.withResolvers<string>()
  const watched = watchCertificate(ctx, certificates, exchange)
  const first = watched?.first
  const isOpen = watched === undefined || first !== undefined
  const main = isOpen ? listenElysia({ hostname, port, ...(first && { tls: first }) }) : undefined
  const chosenPort = main?.port ?? availablePort(hostname, port)
  const loopback = certificates?.waiting && listenLoopback(port, listenElysia)
  if (loopback) ctx.log.info('this computer reaches the server without a certificate', { port: loopback.port! })
  const listeners = new Listeners(main, loopback)
  if (gates.sockets) sockets.start(listeners, gates.sockets)
  const plain = listenPlain(ctx, app.fetch, certificates)
  const url = `${watched ? 'https' : 'http'}://${hostname.includes(':') ? `[${hostname}]` : hostname}:${chosenPort}`

  /** Bun cannot give a listening port another certificate, so a new listener takes the port over. Connections of the old one go on. */
  function exchange(tls: Certificate): void {
    app.server = listeners.replace(() => Bun.serve({ ...options, port: chosenPort, tls, fetch: app.fetch }))
    opening.resolve(url)
  }

  return {
    url: isOpen ? url : `http://${LOOPBACK}:${loopback!.port!}`,
    port: chosenPort,
    plainPort: plain?.port ?? null,
    opening: isOpen ? undefined : opening.promise,
    async stop(urgent = false) {
      watched?.stop()
      ctx.lifecycle.leaving = true
      const openMs = urgent ? FAREWELL_MS : ctx.config.drainSeconds * SECOND
      if (openMs > FAREWELL_MS) await Bun.sleep(openMs - FAREWELL_MS)
      ctx.lifecycle.draining = true
      // Bun waits for open sockets forever.
      sockets.stop()
      await Bun.sleep(Math.min(openMs, FAREWELL_MS))
      sockets.cutOff()
      await plain?.stop()
      const drained = listeners.stop(false)
      // Cleared below, because a pending timer keeps the process alive.
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, DRAIN_MS, 'late')))
      if ((await Promise.race([drained, late])) === 'late') {
        ctx.log.warn('requests that did not end in time are cut off', { seconds: DRAIN_MS / SECOND })
        await listeners.stop(true)
      }
      clearTimeout(timer)
    },
    async kill() {
      watched?.stop()
      sockets.stop()
      await plain?.stop()
      await listeners.stop(true)
    },
  }
}

const LOOPBACK = '127.0.0.1'

/** The port if it can be opened, or the one that the system chooses instead of 0. Otherwise a wrong port would be noticed with the first certificate. */
function availablePort(hostname: string, port: number): number {
  const server = Bun.serve({ hostname, port, reusePort: false, development: false, fetch: () => new Response() })
  const chosen = server.port!
  void server.stop(true)
  return chosen
}

/** On the usual port, or on any other one if that is taken, or if the port for HTTPS may be any. */
function listenLoopback<T>(port: number, listenAt: (at: { hostname: string; port: number }) => T): T {
  if (port === 0) return listenAt({ hostname: LOOPBACK, port: 0 })
  try {
    return listenAt({ hostname: LOOPBACK, port: defaultConfig.port })
  } catch {
    return listenAt({ hostname: LOOPBACK, port: 0 })
  }
}
