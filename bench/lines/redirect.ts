/** Scans of short links: `GET /q/{slug}` against a file that every server has, a code by its id, and a bare server that redirects. */

import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import type { Figures } from '../lib/compare.ts'
import { closeDatabase, openDatabase } from '../lib/data.ts'
import { type Started, startServer } from '../lib/process.ts'
import { get, type Person, register, ROOT, startProduct } from '../lib/product.ts'
import { round } from '../lib/report.ts'

const CONNECTIONS = 64
/** Until the counts of the last scans are written. */
const SETTLE_MS = 3000
const TARGET = 'https://example.org/menu?table=12'
/** As phones send them. Each scan has one of them. */
const AGENTS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36',
]
const LANGUAGES = ['de-AT,de;q=0.9,en;q=0.8', 'zh-CN,zh;q=0.9', 'en-US,en;q=0.9']

const scan = (path: string, nth: number): string =>
  get(path, {
    'User-Agent': AGENTS[nth % AGENTS.length]!,
    Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Language': LANGUAGES[(nth >> 2) % LANGUAGES.length]!,
  })

const slugOf = (n: number): string => `s${String(n).padStart(7, '0')}`

export async function run(bench: Bench): Promise<void> {
  const sizes = bench.smoke ? [1, 1000] : [1, 100_000, 1_000_000]
  const { dataDir, person, ids } = await prepare(bench, sizes.at(-1)!)
  // Counts of scans are written after their answers: other requests are sent to a server without scans, so that they do not pay for them.
  const quietDir = fileIn(bench, 'redirect-quiet')
  cpSync(dataDir, quietDir, { recursive: true })
  const product = bench.own(await startProduct(dataDir))
  const quiet = bench.own(await startProduct(quietDir))
  const bare = bench.own(
    await startServer([process.execPath, join(ROOT, 'bench/peers/redirect.ts')], { BENCH_TARGET: TARGET }),
  )
  const asked =
    ({ pid, port }: Started, expect: number) =>
    (name: string, requests: string[], connections = CONNECTIONS) => ({
      name,
      pid,
      expect,
      load: { port, requests, connections },
    })
  const [scanned, others, led] = [asked(product, 302), asked(quiet, 200), asked(bare, 302)]
  /** At random, so that each scan is of another code than those before it. */
  const anyOf = (codes: number, request: (n: number) => string): string[] =>
    Array.from({ length: Math.min(codes, bench.smoke ? 1000 : 100_000) }, () =>
      request(Math.floor(Math.random() * codes)),
    )
  const scans = (codes: number) => anyOf(codes, (n) => scan(`/q/${slugOf(n)}`, n))
  const byId = (codes: number) => anyOf(codes, (n) => get(`/api/qr-codes/${ids.first + n}`, person.headers))
  const robots = [scan('/robots.txt', 0)]
  for (const codes of sizes) {
    const links = scans(codes)
    const of = await measure(bench, [
      { ...scanned('/q', links), settleMs: bench.smoke ? 0 : SETTLE_MS },
      others('robots.txt', robots),
      others('by id', byId(codes)),
      led('bare', links),
      // One request at a time: the time of an answer without a queue before it.
      scanned('/q alone', links, 1),
      others('robots.txt alone', robots, 1),
    ])
    report(bench, codes, of)
  }
  bench.report.note(
    'redirect: chhoto-url and Shlink are not among the peers: neither has a package in the registries that this suite uses.',
  )
}

function report({ report }: Bench, codes: number, of: (name: string) => Figures): void {
  const name = codes === 1 ? 'scans of one code' : `scans of ${codes.toLocaleString('en')} codes at random`
  const [scans, robots, byId] = [of('/q'), of('robots.txt'), of('by id')]
  const alone = of('/q alone').p50Ms / of('robots.txt alone').p50Ms
  const shown = (ms: number): string => `${round(ms)} ms`
  report.value(
    `${name}, median of one at a time`,
    shown(of('/q alone').p50Ms),
    alone,
    'GET /robots.txt',
    shown(of('robots.txt alone').p50Ms),
    { max: codes === 1 ? 1.3 : 2.5 },
  )
  report.value(
    `${name}, p99 at ${CONNECTIONS} connections`,
    shown(scans.p99Ms),
    scans.p99Ms / robots.p99Ms,
    'GET /robots.txt',
    shown(robots.p99Ms),
    { max: 2 },
  )
  report.http(name, 'GET /robots.txt', scans, robots, 'rate', 0.7)
  report.value(
    `${name}, processor time`,
    `${round(scans.cpuUs)} µs`,
    scans.cpuUs / byId.cpuUs,
    'GET /api/qr-codes/{id}',
    `${round(byId.cpuUs)} µs`,
    { max: 1.2 },
  )
  report.http(name, 'bare Bun.serve that redirects', scans, of('bare'), 'cpu')
}

interface Prepared {
  readonly dataDir: string
  readonly person: Person
  readonly ids: { readonly first: number }
}

/** Makes that many public codes of one user, each with a short link that opens its target. */
async function prepare(bench: Bench, codes: number): Promise<Prepared> {
  const dataDir = fileIn(bench, 'redirect')
  mkdirSync(dataDir, { recursive: true })
  const server = bench.own(await startProduct(dataDir))
  const person = await register(server, 'owner')
  await server.stop()
  const db = openDatabase(dataDir)
  // An account without a proved address would show the warning page first.
  db.run(`INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES ('links.direct', '"ALL"', 0)`)
  const { first } = db.query<{ first: number }, []>('SELECT coalesce(max(id), 0) + 1 AS first FROM qr_codes').get()!
  db.query(
    `INSERT INTO qr_codes (id, uuid, user_id, org_id, name, content, content_type, tags, remark, style, is_public, is_dynamic, pinned,
       sort_order, scan_count, slug, opens, version, created_at, updated_at)
     WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < $n - 1)
     SELECT $first + n, printf('%08x-%04x-4000-8000-%012x', $user, n % 65536, n), $user, 0, 'Code ' || n, $target, 'URL', '[]', '', '{}',
       1, 1, 0, 0, 0, printf('s%07d', n), 'TARGET', 1, 1760000000000 + n, 1760000000000 + n FROM i`,
  ).run({ n: codes, user: person.userId, first, target: TARGET })
  db.query(
    `INSERT INTO qr_slugs (slug, qr_code_id, user_id, org_id, is_custom, created_at)
     SELECT slug, id, user_id, 0, 0, created_at FROM qr_codes WHERE slug IS NOT NULL`,
  ).run()
  closeDatabase(db)
  return { dataDir, person, ids: { first } }
}
