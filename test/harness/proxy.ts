/**
 * A proxy that sends each request to the next of several servers, as a load balancer does. It understands only the head of the first answer of
 * a connection: with `Connection: close` in it, the client sends one request and closes the connection. Everything else is copied, WebSockets
 * too.
 */

import { connect, createServer, type Socket } from 'node:net'

export interface Proxy {
  readonly url: string
  /** Sends new connections to other servers from now on. */
  use(targets: readonly string[]): void
  stop(): Promise<void>
}

export interface SlowProxy extends Proxy {
  /** Holds requests back for these milliseconds from now on, by their path. */
  slow(delayOf: (path: string) => number): void
}

const HEAD_END = '\r\n\r\n'

/** Calls `onHead` with the head and the bytes after it, once it has arrived. */
function readHead(socket: Socket, onHead: (head: string, rest: Buffer) => void): void {
  let received = Buffer.alloc(0)
  const onData = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk])
    const end = received.indexOf(HEAD_END)
    if (end < 0) return
    socket.off('data', onData)
    onHead(received.subarray(0, end).toString('latin1'), received.subarray(end))
  }
  socket.on('data', onData)
}

/** The head with `Connection: close`, unless it is about another protocol. */
const closing = (head: string): Buffer =>
  Buffer.from(
    /\r\nupgrade:/i.test(head) ? head : `${head.replace(/\r\nconnection:[^\r]*/i, '')}\r\nConnection: close`,
    'latin1',
  )

/** `targets`: addresses of servers. One that refuses connections, because it was killed, is left out. `port`: that of a stopped proxy. */
export async function startProxy(targets: readonly string[], port = 0): Promise<SlowProxy> {
  let addresses = targets.map((target) => new URL(target))
  const open = new Set<Socket>()
  let turn = 0
  let delayOf = (_path: string): number => 0

  function pass(client: Socket, head: Buffer, tries = addresses.length): void {
    const { hostname, port } = addresses[turn++ % addresses.length]!
    const server = connect({ host: hostname, port: Number(port) })
    let isConnected = false
    open.add(server)
    server.on('connect', () => {
      isConnected = true
      server.write(head)
      client.on('data', (chunk) => server.write(chunk))
      client.on('end', () => server.end())
      client.resume()
    })
    readHead(server, (answer, rest) => {
      client.write(Buffer.concat([closing(answer), rest]))
      server.on('data', (chunk) => {
        // If the client reads slowly, the server must notice it.
        if (!client.write(chunk)) server.pause()
      })
      client.on('drain', () => server.resume())
    })
    server.on('end', () => client.end())
    server.on('error', () => undefined)
    server.on('close', () => {
      open.delete(server)
      // Not `destroy`, which would drop bytes that are not sent yet.
      if (isConnected || tries === 1) client.end()
      else pass(client, head, tries - 1)
    })
    client.on('close', () => server.destroy())
  }

  const proxy = createServer((client) => {
    open.add(client)
    client.on('error', () => undefined)
    client.on('close', () => open.delete(client))
    readHead(client, (head, rest) => {
      client.pause()
      const delay = delayOf(head.split(' ', 2)[1]!)
      const go = (): void => pass(client, Buffer.concat([Buffer.from(head, 'latin1'), rest]))
      if (delay === 0) go()
      else setTimeout(go, delay)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(proxy.address() as { port: number }).port}`,
    use(others) {
      addresses = others.map((target) => new URL(target))
    },
    slow(next) {
      delayOf = next
    },
    async stop() {
      proxy.close()
      for (const socket of open) socket.destroy()
    },
  }
}
