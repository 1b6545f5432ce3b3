/**
 * The CPU of writes with and without webhooks that get their events: `bun bench/webhooks.ts [pairs] [creations of a turn]`.
 *
 * First the writes alone: a server process without the sender creates codes and assets of organizations, in short turns that alternate: without any
 * webhook (`none`), beside webhooks of others (`unmatched`), and with one that gets the event (`matched`). Each turn is compared with the one
 * beside it, and the median of these ratios is printed: other programs of the machine disturb some pairs, and a few of these do not move it.
 *
 * Then the whole way: codes whose webhook has a receiver that answers at once (`sent`), until all deliveries have arrived. The receiver is a process
 * of its own. With `TEST_DATABASE_URL`, an empty database, only the writes are measured.
 */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { cpuNanoseconds, type Started, startServer, stopAll } from './lib/process.ts'
import { call, PASSWORD, register, ROOT, startProduct } from './lib/product.ts'
import { median, percentile } from './lib/stats.ts'

const AT_ONCE = 8
/** Turns before the first one that counts: the code is compiled meanwhile. */
const WARM_UP = 40
const SETTLE_MS = 1500
const ROUNDS = 4
const KINDS = ['none', 'unmatched', 'matched'] as const
type Kind = (typeof KINDS)[number]

if (process.argv[2] === 'receiver') receive()
else {
  const folder = mkdtempSync(join(tmpdir(), 'webhooks-'))
  try {
    await measure(folder, Number(process.argv[2] ?? 200), Number(process.argv[3] ?? 100))
  } finally {
    stopAll()
    rmSync(folder, { recursive: true, force: true })
  }
}

function receive(): void {
  let count = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch(request) {
      if (new URL(request.url).pathname === '/count') return new Response(String(count))
      count++
      return new Response('ok')
    },
  })
  console.log(`listening on ${server.url.origin}`)
}

async function measure(folder: string, pairs: number, creations: number): Promise<void> {
  const receiver = await startServer([process.execPath, import.meta.path, 'receiver'])
  const origin = `http://127.0.0.1:${receiver.port}`
  const url = process.env['TEST_DATABASE_URL'] ?? ''
  const unsent = await startServer([process.execPath, join(ROOT, 'bench/servers/unsent.ts')], {
    BENCH_DATA_DIR: join(folder, 'unsent'),
    TESSERA_DATABASE_URL: url,
    BENCH_TARGETS: origin,
  })
  const writes = await Organizations.of(unsent, origin)
  for (const thing of ['codes', 'assets'] as const) await compareWrites(writes, thing, pairs, creations)
  await unsent.stop()
  if (url === '') await measureSent(folder, receiver, creations * 10)
  await receiver.kill()
}

async function measureSent(folder: string, receiver: Started, creations: number): Promise<void> {
  const origin = `http://127.0.0.1:${receiver.port}`
  mkdirSync(join(folder, 'sent'))
  const server = await startProduct(join(folder, 'sent'), { env: { TESSERA_PRIVATE_TARGETS: origin } })
  await compareSent(await Organizations.of(server, origin), origin, creations)
  await server.stop()
}

/** Of a server: one whose webhook gets all events, and one without a webhook. */
class Organizations {
  #n = 0
  private constructor(
    readonly server: Started,
    readonly headers: Record<string, string>,
    readonly plain: number,
    readonly watched: number,
    readonly hook: number,
  ) {}

  static async of(server: Started, origin: string): Promise<Organizations> {
    const { headers } = await register(server, 'ann')
    await call(server, 'POST', '/api/auth/confirm', headers, { verifyType: 'PASSWORD', password: PASSWORD })
    const make = async (path: string, body: object) =>
      ((await call(server, 'POST', path, headers, body)) as { id: number }).id
    const [plain, watched] = [await make('/api/orgs', { name: 'plain' }), await make('/api/orgs', { name: 'watched' })]
    const hook = { name: 'ERP', url: `${origin}/hook`, events: ['*'], enabled: false, orgId: watched }
    return new Organizations(server, headers, plain, watched, await make('/api/webhooks', hook))
  }

  async hooked(enabled: boolean): Promise<void> {
    await call(this.server, 'PUT', `/api/webhooks/${this.hook}`, this.headers, { enabled })
  }

  /** Creates so many, a few at once. Returns the nanoseconds of CPU that the server has taken. */
  async create(orgId: number, thing: 'codes' | 'assets', creations: number): Promise<number> {
    const before = cpuNanoseconds(this.server.pid)
    const until = this.#n + creations
    const client = async () => {
      while (this.#n < until) {
        const name = `thing ${this.#n++}`
        if (thing === 'assets') await call(this.server, 'POST', '/api/assets', this.headers, { name, orgId })
        else {
          const body = { name, content: `https://example.org/${name}`, orgId }
          await call(this.server, 'POST', '/api/qr-codes', this.headers, body)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, client))
    return cpuNanoseconds(this.server.pid) - before
  }
}

async function compareWrites(
  orgs: Organizations,
  thing: 'codes' | 'assets',
  pairs: number,
  creations: number,
): Promise<void> {
  const taken: Record<Kind, number[]> = { none: [], unmatched: [], matched: [] }
  for (let i = -WARM_UP; i < pairs; i++)
    // In turns also who comes first.
    for (const kind of i % 2 === 0 ? KINDS : KINDS.toReversed()) {
      await orgs.hooked(kind !== 'none')
      const each = (await orgs.create(kind === 'matched' ? orgs.watched : orgs.plain, thing, creations)) / creations
      if (i >= 0) taken[kind].push(each)
    }
  for (const kind of KINDS) {
    const ratios = taken[kind].map((each, i) => each / taken.none[i]!)
    const quiet = quietest(taken[kind])
    const figures = [
      `${(median(taken[kind]) / 1000).toFixed(0)} µs, ratio ${median(ratios).toFixed(3)} ± ${halfWidth(ratios).toFixed(3)}`,
      `${(quiet / 1000).toFixed(0)} µs, ratio ${(quiet / quietest(taken.none)).toFixed(3)}`,
    ]
    print(`${thing}, ${kind}`, figures.join('; least disturbed tenth: '))
  }
}

/** The time that a tenth of the turns keeps below: of those that other programs have disturbed least. */
function quietest(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return percentile(sorted, 0.1)
}

/** Of the interval that holds the median with 95 %: by the ranks of the order, so that it does not matter how the values are distributed. */
function halfWidth(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const reach = 0.98 * Math.sqrt(sorted.length)
  const at = (rank: number) => sorted[Math.min(Math.max(Math.round(rank), 0), sorted.length - 1)]!
  return (at(sorted.length / 2 + reach) - at(sorted.length / 2 - reach)) / 2
}

async function compareSent(orgs: Organizations, origin: string, creations: number): Promise<void> {
  const received = async () => Number(await (await fetch(`${origin}/count`)).text())
  const taken = { none: [] as number[], sent: [] as number[] }
  for (let i = -1; i < ROUNDS; i++)
    for (const kind of ['none', 'sent'] as const) {
      await orgs.hooked(kind === 'sent')
      const goal = (await received()) + creations
      const before = cpuNanoseconds(orgs.server.pid)
      await orgs.create(kind === 'sent' ? orgs.watched : orgs.plain, 'codes', creations)
      if (kind === 'sent') while ((await received()) < goal) await Bun.sleep(20)
      // Results are saved after the answers; the other kind waits as long, so that the work of an idle server counts for both.
      await Bun.sleep(SETTLE_MS)
      if (i >= 0) taken[kind].push((cpuNanoseconds(orgs.server.pid) - before) / creations)
    }
  for (const kind of ['none', 'sent'] as const)
    print(`codes, ${kind} (whole way)`, `${(median(taken[kind]) / 1000).toFixed(0)} µs`)
}

function print(what: string, figures: string): void {
  console.log(`${what.padEnd(26)} ${figures}`)
}
