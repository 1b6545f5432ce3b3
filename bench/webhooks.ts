/**
 * The CPU of creating codes with and without webhooks that get them: `bun bench/webhooks.ts [rounds] [creations of a round]`. One server process creates
 * codes of organizations, in rounds that alternate: without any webhook (`none`), beside webhooks of others (`unmatched`), with one whose receiver never
 * answers, so that events are written and wait (`written`), and with one whose receiver answers at once (`sent`). A round ends when all of its
 * deliveries have arrived. The receiver is a process of its own. Prints microseconds of CPU of the server for each creation, and their ratios.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { cpuSeconds, startServer, stopAll } from './lib/process.ts'
import { call, PASSWORD, register, startProduct } from './lib/product.ts'

const AT_ONCE = 8
const SETTLE_MS = 1500

if (process.argv[2] === 'receiver') receive()
else await measure(Number(process.argv[2] ?? 6), Number(process.argv[3] ?? 600))

function receive(): void {
  let count = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/count') return new Response(String(count))
      if (pathname === '/never') return new Promise<Response>(() => undefined)
      count++
      return new Response('ok')
    },
  })
  console.log(`listening on ${server.url.origin}`)
}

async function measure(rounds: number, creations: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'webhooks-'))
  try {
    const receiver = await startServer([process.execPath, import.meta.path, 'receiver'])
    const origin = `http://127.0.0.1:${receiver.port}`
    const server = await startProduct(folder, { env: { TESSERA_PRIVATE_TARGETS: origin } })
    const { headers } = await register(server, 'ann')
    await call(server, 'POST', '/api/auth/confirm', headers, { verifyType: 'PASSWORD', password: PASSWORD })
    const newOrg = async (name: string) =>
      ((await call(server, 'POST', '/api/orgs', headers, { name })) as { id: number }).id
    const newHook = async (orgId: number, path: string) => {
      const body = { name: 'ERP', url: origin + path, events: ['*'], enabled: false, orgId }
      return ((await call(server, 'POST', '/api/webhooks', headers, body)) as { id: number }).id
    }
    const plain = await newOrg('plain')
    const watched = await newOrg('watched')
    const stuck = await newOrg('stuck')
    const hooks = { watched: await newHook(watched, '/fast'), stuck: await newHook(stuck, '/never') }
    const change = (id: number, enabled: boolean) => call(server, 'PUT', `/api/webhooks/${id}`, headers, { enabled })
    const received = async () => Number(await (await fetch(`${origin}/count`)).text())

    let n = 0
    const round = async (orgId: number, isSent = false): Promise<number> => {
      const goal = (await received()) + creations
      const before = cpuSeconds(server.pid)
      const until = n + creations
      const client = async () => {
        while (n < until) {
          const name = `code ${n++}`
          await call(server, 'POST', '/api/qr-codes', headers, { name, content: `https://example.org/${name}`, orgId })
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, client))
      if (isSent) while ((await received()) < goal) await Bun.sleep(20)
      // Results are saved after the answers; the other kinds wait as long, so that the work of an idle server counts for all.
      await Bun.sleep(SETTLE_MS)
      return cpuSeconds(server.pid) - before
    }
    const sums: Record<string, number[]> = { none: [], unmatched: [], written: [], sent: [] }
    for (let i = -1; i < rounds; i++) {
      const take = async (kind: string, orgId: number) => {
        const seconds = await round(orgId, kind === 'sent')
        // The first round warms the code.
        if (i >= 0) sums[kind]!.push(seconds)
      }
      const hooked = async () => {
        await change(hooks.watched, true)
        await take('unmatched', plain)
        await take('sent', watched)
        await change(hooks.watched, false)
        await change(hooks.stuck, true)
        await take('written', stuck)
        await change(hooks.stuck, false)
      }
      // In turns also who comes first.
      if (i % 2 === 0) await take('none', plain)
      await hooked()
      if (i % 2 !== 0) await take('none', plain)
      console.error(`round ${i + 1} of ${rounds}`)
    }
    const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0)
    for (const [kind, list] of Object.entries(sums)) {
      const each = (sum(list) / rounds / creations) * 1e6
      const ratio = sum(list) / sum(sums['none']!)
      console.log(
        `${kind.padEnd(10)} ${each.toFixed(0)} µs, ratio ${ratio.toFixed(3)}  (${list.map((s) => ((s / creations) * 1e6).toFixed(0)).join(' ')})`,
      )
    }
    await server.stop()
    await receiver.kill()
  } finally {
    stopAll()
    rmSync(folder, { recursive: true, force: true })
  }
}
