/** A page of 20 members with roles and total must cost the same in an organization of 100,000 members as in one of 1,000. */

import { mkdirSync } from 'node:fs'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import { addMembers, closeDatabase, openDatabase } from '../lib/data.ts'
import { call, get, register, startProduct } from '../lib/product.ts'
import { whole } from '../lib/report.ts'

const SIZE = 20
const CONNECTIONS = 4
const GOAL = 1.5

export async function run(bench: Bench): Promise<void> {
  const sizes = bench.smoke ? [100, 200] : [1000, 100_000]
  const dataDir = fileIn(bench, 'members')
  mkdirSync(dataDir, { recursive: true })
  const first = await startProduct(dataDir)
  const owner = await register(first, 'owner')
  const orgs: { id: number; members: number }[] = []
  for (const members of sizes) {
    const { id } = (await call(first, 'POST', '/api/orgs', owner.headers, { name: `With ${members}` })) as {
      id: number
    }
    orgs.push({ id, members })
  }
  await first.stop()
  const db = openDatabase(dataDir)
  for (const { id, members } of orgs) addMembers(db, id, members)
  closeDatabase(db)

  const server = bench.own(await startProduct(dataDir))
  const rounds = bench.smoke
    ? { rounds: 1, seconds: 0.2, warmUpSeconds: 0.1 }
    : { rounds: 3, seconds: 1, warmUpSeconds: 1 }
  const places = [
    ['first page', () => 1],
    ['last page', (pages: number) => pages],
  ] as const
  for (const [where, pageOf] of places) {
    const of = await measure(
      bench,
      orgs.map(({ id, members }) => ({
        name: String(members),
        pid: server.pid,
        load: {
          port: server.port,
          requests: [get(`/api/orgs/${id}/members?size=${SIZE}&page=${pageOf(members / SIZE)}`, owner.headers)],
          connections: CONNECTIONS,
        },
      })),
      rounds,
    )
    const [small, big] = sizes.map((members) => of(String(members)))
    bench.report.value(
      `${where} of members, organization of ${whole(sizes[1]!)}`,
      `${whole(big!.cpuUs)} µs`,
      big!.cpuUs / small!.cpuUs,
      `of ${whole(sizes[0]!)}`,
      `${whole(small!.cpuUs)} µs`,
      { max: GOAL },
    )
  }
}
