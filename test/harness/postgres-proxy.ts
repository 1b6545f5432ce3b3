/**
 * A TCP proxy before PostgreSQL that breaks connections at the moment of a COMMIT, so that the write does not learn its outcome. It can also lead to
 * another server, as an address does after a failover.
 */

import { connect, createServer, type Socket } from 'node:net'

export interface PostgresProxy {
  /** Of the database, through the proxy. */
  readonly databaseUrl: string
  /**
   * The treatment of each COMMIT from now on. `lose`: PostgreSQL gets it, and the connection breaks instead of the answer. `hold`: the connection
   * breaks, and PostgreSQL gets the COMMIT when `deliver` is called.
   */
  commits: 'pass' | 'lose' | 'hold'
  /** How often something was sent to PostgreSQL while all connections had their answers. */
  readonly roundTrips: number
  /** New connections lead to this database. Those that exist stay. */
  leadTo(databaseUrl: string): void
  breakAll(): void
  /** How many were lost or held. */
  readonly broken: number
  /** Sends those that are held to PostgreSQL. Resolves after its answers. */
  deliver(): Promise<void>
  stop(): Promise<void>
}

/** In a message Query, or in the Parse that gives the statement a name. */
const COMMIT = /(?:Q\0\0\0.|P\0\0\0.(\w*)\0)COMMIT\0/s

/** The message ReadyForQuery outside of a transaction. */
const IDLE = Buffer.from('Z\0\0\0\u0005I', 'latin1')

/** Recognizes the COMMITs of a connection, of which all but the first name the prepared statement only. */
function commitFinder(): (chunk: Buffer) => boolean {
  let bind: RegExp | undefined
  return (chunk) => {
    const text = chunk.toString('latin1')
    const found = COMMIT.exec(text)
    if (found?.[1]) bind = new RegExp(`B\\0\\0\\0.\\0${found[1]}\\0`, 's')
    return found !== null || bind?.test(text) === true
  }
}

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  let target = new URL(databaseUrl)
  const open = new Set<Socket>()
  const held: { server: Socket; commit: Buffer }[] = []
  const unanswered = new Set<Socket>()
  let [broken, roundTrips] = [0, 0]

  function pass(client: Socket): void {
    const server = connect({ host: target.hostname, port: Number(target.port || 5432) })
    let isHeld = false
    const hasCommit = commitFinder()
    for (const socket of [client, server]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => open.delete(socket))
    }
    server.on('data', (chunk) => {
      unanswered.delete(server)
      client.write(chunk)
    })
    server.on('close', () => {
      unanswered.delete(server)
      client.destroy()
    })
    client.on('close', () => {
      if (!isHeld) server.destroy()
    })
    client.on('data', (chunk: Buffer) => {
      if (unanswered.size === 0) roundTrips++
      unanswered.add(server)
      if (!hasCommit(chunk) || proxy.commits === 'pass') return void server.write(chunk)
      broken++
      if (proxy.commits === 'hold') {
        isHeld = true
        held.push({ server, commit: chunk })
        client.destroy()
      } else {
        server.removeAllListeners('data')
        server.on('data', () => client.destroy())
        server.write(chunk)
      }
    })
  }

  const listener = createServer(pass)
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(listener.address() as { port: number }).port}`
  const proxy: PostgresProxy = {
    databaseUrl: url.href,
    commits: 'pass',
    get roundTrips() {
      return roundTrips
    },
    leadTo: (other) => (target = new URL(other)),
    breakAll() {
      for (const socket of open) socket.destroy()
    },
    get broken() {
      return broken
    },
    async deliver() {
      await Promise.all(
        held.splice(0).map(async ({ server, commit }) => {
          const answered = new Promise<void>((resolve) => {
            server.on('data', (answer: Buffer) => answer.includes(IDLE) && resolve()).on('close', () => resolve())
          })
          server.write(commit)
          await answered
          server.destroy()
        }),
      )
    },
    async stop() {
      listener.close()
      proxy.breakAll()
    },
  }
  return proxy
}
