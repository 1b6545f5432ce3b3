/** A TCP proxy before PostgreSQL that breaks connections at the moment of a COMMIT, so that the write does not learn its outcome. */

import { connect, createServer, type Socket } from 'node:net'

export interface PostgresProxy {
  /** Of the database, through the proxy. */
  readonly databaseUrl: string
  /**
   * The treatment of each COMMIT from now on. `lose`: PostgreSQL gets it, and the connection breaks instead of the answer. `hold`: the connection
   * breaks, and PostgreSQL gets the COMMIT when `deliver` is called.
   */
  commits: 'pass' | 'lose' | 'hold'
  /** How many were lost or held. */
  readonly broken: number
  /** Sends those that are held to PostgreSQL. Resolves after its answers. */
  deliver(): Promise<void>
  stop(): Promise<void>
}

/** The message Query with the text COMMIT. */
const COMMIT = Buffer.from('Q\0\0\0\u000bCOMMIT\0', 'latin1')

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl)
  const open = new Set<Socket>()
  const held: { server: Socket; commit: Buffer }[] = []
  let broken = 0

  function pass(client: Socket): void {
    const server = connect({ host: target.hostname, port: Number(target.port || 5432) })
    let isHeld = false
    for (const socket of [client, server]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => open.delete(socket))
    }
    server.on('data', (chunk) => client.write(chunk))
    server.on('close', () => client.destroy())
    client.on('close', () => {
      if (!isHeld) server.destroy()
    })
    client.on('data', (chunk: Buffer) => {
      if (proxy.commits === 'pass' || !chunk.includes(COMMIT)) return void server.write(chunk)
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
    get broken() {
      return broken
    },
    async deliver() {
      await Promise.all(
        held.splice(0).map(async ({ server, commit }) => {
          const answered = new Promise((resolve) => server.once('data', resolve).once('close', resolve))
          server.write(commit)
          await answered
          server.destroy()
        }),
      )
    },
    async stop() {
      listener.close()
      for (const socket of open) socket.destroy()
    },
  }
  return proxy
}
