/**
 * The ports on which this process listens. One can be opened, closed, or given another certificate, while the connections of its earlier
 * listeners go on.
 */

import type { Server } from 'bun'

import { type Config, hasTls } from '#config/config.ts'
import { isLoopback } from '#config/gateways.ts'
import { isAll, LOOPBACK } from '#config/reach.ts'
import type { Certificate } from '#platform/certificate.ts'
import { SECOND } from '#platform/clock.ts'

export interface Door {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
  /** Leads to HTTPS instead of answering. */
  readonly isPlain: boolean
}

export interface Doors {
  /** The port that printed addresses name, unless a proxy is in front of it. */
  readonly main: Door
  readonly plain: Door | undefined
  readonly beside: (Door & { readonly orAny: boolean }) | undefined
}

export function doorsOf(config: Config): Doors {
  const { host, port, httpPort, beside } = config
  return {
    main: { scheme: hasTls(config) ? 'https' : 'http', host, port, isPlain: false },
    plain: httpPort === null ? undefined : { scheme: 'http', host, port: httpPort, isPlain: true },
    beside: beside === null ? undefined : { scheme: 'http', ...beside, isPlain: false },
  }
}

export const listOf = ({ main, plain, beside }: Doors): Door[] =>
  [main, plain, beside].filter((door) => door !== undefined)

export const originOfDoor = ({ scheme, host, port }: Door): string =>
  `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Opening a port failed. `reason`: IN_USE by another program, FORBIDDEN to this process, NO_ADDRESS of this machine, SILENT after it was opened. */
export class DoorError extends Error {
  override name = 'DoorError'
  constructor(
    readonly door: Door,
    readonly reason: 'IN_USE' | 'FORBIDDEN' | 'NO_ADDRESS' | 'SILENT',
    cause: unknown,
  ) {
    super(`${originOfDoor(door)} could not be opened`, { cause })
  }
}

const REASONS: Readonly<Record<string, DoorError['reason']>> = { EADDRINUSE: 'IN_USE', EACCES: 'FORBIDDEN' }

export const doorError = (door: Door, error: unknown): DoorError =>
  new DoorError(door, REASONS[(error as { code?: string }).code ?? ''] ?? 'NO_ADDRESS', error)

const keyOf = (door: Door): string => `${door.isPlain ? 'plain ' : ''}${originOfDoor(door)}`

/** `T`: the data of sockets. */
export class Listeners<T> {
  readonly #open = new Map<string, { readonly door: Door; readonly server: Server<T> }>()
  /** Closed, but their connections go on. */
  readonly #leaving = new Set<Server<T>>()

  constructor(readonly listen: (door: Door, tls?: Certificate) => Server<T>) {}

  has(door: Door): boolean {
    return this.#open.has(keyOf(door))
  }

  list(): Door[] {
    return [...this.#open.values()].map(({ door }) => door)
  }

  /** Returns the door with its port, which the system chooses instead of 0. */
  open(door: Door, tls?: Certificate): Door {
    const server = this.listen(door, tls)
    const opened = { ...door, port: server.port! }
    this.#open.set(keyOf(opened), { door: opened, server })
    return opened
  }

  closeAllBut(wanted: readonly Door[]): void {
    const kept = new Set(wanted.map(keyOf))
    for (const { door } of this.#open.values()) if (!kept.has(keyOf(door))) this.close(door)
  }

  close(door: Door): void {
    const key = keyOf(door)
    const found = this.#open.get(key)
    if (found === undefined) return
    this.#open.delete(key)
    this.#leaving.add(found.server)
    void found.server.stop(false).then(() => this.#leaving.delete(found.server))
  }

  /** Makes a socket of a request to any of them. */
  upgrade(
    request: Request,
    options: { readonly data: T; readonly headers?: Record<string, string> | undefined },
  ): boolean {
    for (const server of this.#all())
      try {
        return server.upgrade(request, options as never)
      } catch (error) {
        // Another one has received the request.
        if ((error as { code?: unknown }).code !== 'ERR_INVALID_ARG_TYPE') throw error
      }
    return false
  }

  async stop(closeConnections: boolean): Promise<void> {
    await Promise.all(this.#all().map((server) => server.stop(closeConnections)))
  }

  #all(): Server<T>[] {
    return [...[...this.#open.values()].map(({ server }) => server), ...this.#leaving]
  }
}

/** A listener that only shows that the port can be opened. */
function probe({ host, port }: Door): Server<undefined> {
  return Bun.serve({ hostname: host, port, reusePort: false, development: false, fetch: () => new Response() })
}

/**
 * The port if it can be opened, or the one that the system chooses instead of 0. Otherwise a wrong port would be noticed with the first
 * certificate.
 */
export function availablePort(door: Door): number {
  const server = probe(door)
  const chosen = server.port!
  void server.stop(true)
  return chosen
}

/**
 * Opens the ports that are not open yet, and asks each of them for an answer. Those of HTTPS are only tried, since they need a certificate. Returns
 * what undoes it.
 * @throws DoorError, when everything is as before
 */
export async function openMissing<T>(
  wanted: readonly Door[],
  listeners: Listeners<T>,
  tls: Certificate | undefined,
): Promise<() => void> {
  const missing = wanted.filter((door) => !listeners.has(door))
  const inTheWay = listeners.list().filter((open) => missing.some((door) => clash(door, open)))
  const opened: Door[] = []
  const undo = (): void => {
    for (const door of opened) listeners.close(door)
    for (const door of inTheWay)
      if (!listeners.has(door)) listeners.open(door, door.scheme === 'https' ? tls : undefined)
  }
  for (const door of inTheWay) listeners.close(door)
  try {
    for (const door of missing) {
      if (door.scheme === 'https') await tryDoor(door)
      else {
        opened.push(openOr(door, () => listeners.open(door)))
        await askDoor(door)
      }
    }
  } catch (error) {
    undo()
    throw error
  }
  return undo
}

async function tryDoor(door: Door): Promise<void> {
  const server = openOr(door, () => probe(door))
  try {
    await askDoor({ ...door, scheme: 'http' })
  } finally {
    await server.stop(true)
  }
}

function openOr<R>(door: Door, open: () => R): R {
  try {
    return open()
  } catch (error) {
    throw doorError(door, error)
  }
}

const ASK_MS = 5 * SECOND

/** @throws DoorError */
async function askDoor(door: Door): Promise<void> {
  const host = door.host === '::' ? '::1' : door.host === '0.0.0.0' ? LOOPBACK : door.host
  try {
    const answer = await fetch(`${originOfDoor({ ...door, host })}/actuator/health/live`, {
      signal: AbortSignal.timeout(ASK_MS),
      redirect: 'manual',
    })
    await answer.body?.cancel()
  } catch (error) {
    throw new DoorError(door, 'SILENT', error)
  }
}

/** Whether both cannot be open at the same time. */
export const clash = (a: Door, b: Door): boolean =>
  a.port === b.port &&
  (a.host === b.host || isAll(a.host) || isAll(b.host) || (isLoopback(a.host) && isLoopback(b.host)))
