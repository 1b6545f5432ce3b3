/**
 * With everything at its default, the server opens no connection to the outside. It runs in a network namespace of its own, in which every address
 * leads to the namespace itself, so that the kernel counts each attempt: TCP connections that were opened, and datagrams (names that were looked up).
 */

import { afterEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'

import { Installation } from './cli.ts'

/** Runs the words that follow in the namespace. */
const NAMESPACE = [
  'unshare',
  '-rn',
  'sh',
  '-c',
  'ip link set lo up && ip route add local default dev lo && exec "$@"',
  'sh',
]

const hasNamespaces = Bun.spawnSync([...NAMESPACE, 'true'], { stderr: 'ignore' }).success
if (!hasNamespaces) console.warn('skipped: this machine has no network namespaces for this user (unshare -rn, ip)')

// With SQLite, also where the other tests use PostgreSQL: the database would be a connection, too.
const place = new Installation()
afterEach(() => place.dispose())

/** TCP connections that were opened and datagrams that were sent in the namespace of a process. */
function opened(pid: number): { readonly connections: number; readonly datagrams: number } {
  const lines = readFileSync(`/proc/${pid}/net/snmp`, 'utf8').split('\n')
  const counter = (protocol: string, name: string): number => {
    const [names, values] = lines.filter((line) => line.startsWith(`${protocol}: `)).map((line) => line.split(' '))
    return Number(values![names!.indexOf(name)])
  }
  const ipv6 = Number(/^Udp6OutDatagrams\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/net/snmp6`, 'utf8'))?.[1] ?? 0)
  return { connections: counter('Tcp', 'ActiveOpens'), datagrams: counter('Udp', 'OutDatagrams') + ipv6 }
}

/** Runs a script in the namespace of a process, with the function `get(url)`, which opens one connection. Returns what it prints. */
function inside(pid: number, script: string): string {
  const get = `
    const { get: request } = await import('node:http')
    const get = (url) => new Promise((resolve, reject) =>
      request(url, { agent: false, headers: { authorization: 'Bearer ${TOKEN}' } }, async (answer) => {
        let text = ''
        for await (const chunk of answer) text += chunk
        resolve(text)
      }).on('error', reject))`
  const enter = ['nsenter', '--target', String(pid), '--user', '--net', '--preserve-credentials']
  const { stdout, stderr, exitCode } = Bun.spawnSync([...enter, process.execPath, '-e', `${get}\n${script}`])
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
  return stdout.toString().trim()
}

const TOKEN = 'token-of-the-metrics'

test.if(hasNamespaces)(
  'the server opens no connection at its start, for its pages and in its background jobs',
  async () => {
    const server = await place.serve([], { before: NAMESPACE, env: { TESSERA_METRICS_TOKEN: TOKEN } })
    const { pid } = server.child
    expect(opened(pid)).toEqual({ connections: 0, datagrams: 0 })
    for (const path of ['/', '/console/', '/api/server', '/actuator/health', '/licenses'])
      inside(pid, `await get('${server.url}${path}')`)
    const own = Number(
      inside(
        pid,
        // All jobs run for the first time a minute after the start.
        `let n = 0
        for (;;) {
          n++
          const metrics = await get('${server.url}/actuator/metrics')
          if (metrics.includes('{job="server.lookForRelease"}') && metrics.includes('{job="qrCodes.purgeTrash"}')) break
          await Bun.sleep(1000)
        }
        console.log(n)`,
      ),
    )
    expect(opened(pid)).toEqual({ connections: 5 + own, datagrams: 0 })
    // The counters would show an attempt.
    inside(pid, `await get('http://192.0.2.1/').catch(() => undefined)`)
    inside(pid, `await get('http://[2001:db8::1]/').catch(() => undefined)`)
    expect(opened(pid).connections).toBeGreaterThan(5 + own)
    inside(
      pid,
      `const { createSocket } = await import('node:dgram')
      const socket = createSocket('udp4')
      await new Promise((resolve) => socket.send('x', 53, '192.0.2.1', resolve))
      socket.close()`,
    )
    expect(opened(pid).datagrams).toBe(1)
    expect(await server.end()).toBe(0)
  },
)
