/** Listens for requests, and stops in an orderly way. */

import type { Server } from 'bun'

import type { Config } from '#config/config.ts'
import type { AppContext } from '#context'
import type { Certificate } from '#platform/certificate.ts'
import { SECOND } from '#platform/clock.ts'

import { availablePort, type Door, type Doors, doorsOf, Listeners, listOf, openMissing, originOfDoor } from './doors.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { type Gatekeeper, mount } from './mount.ts'
import { plainHttp } from './plain-http.ts'
import { type Connection } from './sockets/connection.ts'
import { socketsOfServer } from './sockets/sockets.ts'
import { certificateInUse, type CertificateSource, watchCertificate, type Watched } from './tls.ts'

export interface RunningServer {
  /**
   * `http://host:port` or `https://host:port`, with the port that was chosen if the configured one is 0. While there is no certificate yet, that
   * of the port on the loopback address.
   */
  readonly url: string
  /** The configuration with the ports that the system has chosen. */
  readonly config: Config
  /** Undefined unless there is no certificate yet: then it resolves with the address when HTTPS answers. */
  readonly opening: Promise<string> | undefined
  /** Where this process answers now. */
  doors(): readonly Door[]
  /**
   * Opens the ports that `next` needs beside those that are open.
   * @throws DoorError if one of them cannot be opened: then nothing has changed
   */
  prepare(next: Config): Promise<Prepared>
  /**
   * Finishes running requests and refuses new ones for at most `DRAIN_MS`, then closes all connections. Before that, the port stays open
   * for `Config.drainSeconds`, or for `FAREWELL_MS` if the stop is `urgent`.
   */
  stop(urgent?: boolean): Promise<void>
  /** Closes every connection at once. */
  kill(): Promise<void>
}

export interface Prepared {
  /** Closes the other ports, and serves with the certificates of `source`. */
  keep(source: CertificateSource | undefined): void
  undo(): void
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

/**
 * Elysia's default for `reusePort` lets other programs of the same user listen on the port too, and the kernel would share the connections. The
 * page of `development` for errors that no code caught shows the source.
 */
const COMMON = { reusePort: false, development: false }

/** Bytes. */
const largestBody = (endpoints: readonly AnyEndpoint[]): number =>
  Math.max(1024 * 1024, ...endpoints.map((e) => e.maxBody ?? 0)) + 1024

export function listen(
  endpoints: readonly AnyEndpoint[],
  ctx: AppContext,
  gates: Gatekeeper,
  { idleTimeout = IDLE_SECONDS, certificates }: ListenOptions = {},
): RunningServer {
  const app = mount(endpoints, ctx, gates)
  const sockets = socketsOfServer(ctx)
  let source = certificates
  const plain = plainHttp(
    ctx,
    (request) => app.fetch(request),
    () => source,
  )
  const options = {
    ...COMMON,
    idleTimeout,
    maxRequestBodySize: largestBody(endpoints),
    // Bun's own handlers: those of Elysia are part of its routes, which do not work for a host of less than four characters.
    websocket: sockets.handler,
  }
  const listeners = new Listeners<Connection>(({ host: hostname, port, isPlain }, tls) => {
    if (isPlain) return Bun.serve({ ...COMMON, ...plain, hostname, port }) as unknown as Server<Connection>
    const at = { ...options, hostname, port, ...(tls && { tls }) }
    // Elysia would change the listener that it has.
    if (app.server) app.server = Bun.serve({ ...at, fetch: app.fetch })
    else app.listen({ ...at, websocket: options.websocket as never })
    return app.server! as Server<unknown> as Server<Connection>
  })
  const opening = Promise.withResolvers<string>()
  let watched = watchCertificate(ctx, source, exchange)
  const opened = openDoors(doorsOf(ctx.config), listeners, watched)
  let { main } = opened
  const isOpen = listeners.has(main)
  if (opened.beside && watched)
    ctx.log.info('this computer reaches the server without a certificate', { port: opened.beside.port })
  if (gates.sockets) sockets.start(listeners, gates.sockets)

  /** Bun cannot give a listening port another certificate, so a new listener takes the port over. Connections of the old one go on. */
  function exchange(tls: Certificate): void {
    listeners.close(main)
    listeners.open(main, tls)
    opening.resolve(originOfDoor(main))
  }

  function follow(next: Doors, following: CertificateSource | undefined): void {
    watched?.stop()
    listeners.closeAllBut(listOf(next))
    main = next.main
    source = following
    const before = certificateInUse(ctx)
    watched = watchCertificate(ctx, source, exchange)
    const first = watched?.first
    if (first && !(listeners.has(main) && first.cert === before?.cert && first.key === before.key)) exchange(first)
  }

  const url = originOfDoor(main)
  return {
    url: isOpen ? url : originOfDoor(opened.beside!),
    config: withPorts(ctx.config, opened),
    opening: isOpen ? undefined : opening.promise,
    doors: () => listeners.list(),
    async prepare(config) {
      const next = doorsOf(config)
      const undo = await openMissing(listOf(next), listeners, certificateInUse(ctx))
      return { undo, keep: (following) => follow(next, following) }
    },
    async stop(urgent = false) {
      watched?.stop()
      await drain(ctx, listeners, urgent)
    },
    async kill() {
      watched?.stop()
      sockets.stop()
      await listeners.stop(true)
    },
  }
}

/** See `RunningServer.stop`. */
async function drain(ctx: AppContext, listeners: Listeners<Connection>, urgent: boolean): Promise<void> {
  const sockets = socketsOfServer(ctx)
  ctx.lifecycle.leaving = true
  const openMs = urgent ? FAREWELL_MS : ctx.config.drainSeconds * SECOND
  if (openMs > FAREWELL_MS) await Bun.sleep(openMs - FAREWELL_MS)
  ctx.lifecycle.draining = true
  // Bun waits for open sockets forever.
  sockets.stop()
  await Bun.sleep(Math.min(openMs, FAREWELL_MS))
  sockets.cutOff()
  const drained = listeners.stop(false)
  // Cleared below, because a pending timer keeps the process alive.
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, DRAIN_MS, 'late')))
  if ((await Promise.race([drained, late])) === 'late') {
    ctx.log.warn('requests that did not end in time are cut off', { seconds: DRAIN_MS / SECOND })
    await listeners.stop(true)
  }
  clearTimeout(timer)
}

/** Opens all ports at the start; that of HTTPS only if there is a certificate. Returns them with the ports that the system has chosen. */
function openDoors(wanted: Doors, listeners: Listeners<Connection>, watched: Watched | undefined): Doors {
  const isOpen = watched === undefined || watched.first !== undefined
  const main = isOpen
    ? listeners.open(wanted.main, watched?.first)
    : { ...wanted.main, port: availablePort(wanted.main) }
  const beside = wanted.beside && openBeside(wanted.beside, listeners)
  try {
    return { main, beside, plain: wanted.plain && listeners.open(wanted.plain) }
  } catch (error) {
    void listeners.stop(true)
    // For the sentence that names the setting (cli/exit-codes.ts).
    throw Object.assign(error as Error, { setting: 'TESSERA_HTTP_PORT' })
  }
}

function openBeside(
  door: NonNullable<Doors['beside']>,
  listeners: Listeners<Connection>,
): NonNullable<Doors['beside']> {
  try {
    return { ...door, ...listeners.open(door) }
  } catch (error) {
    if (!door.orAny) throw error
    return { ...door, ...listeners.open({ ...door, port: 0 }) }
  }
}

/** A public address that was given has no port 0. */
const withPorts = (config: Config, { main, plain, beside }: Doors): Config => ({
  ...config,
  port: main.port,
  httpPort: plain?.port ?? null,
  beside: config.beside && { ...config.beside, port: beside!.port },
  publicUrl: config.publicUrl.replace(/:0$/, `:${main.port}`),
})
