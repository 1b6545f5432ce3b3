/** Pages and counts of notifications must cost the same with a million rows as with a thousand. */

import { mkdirSync, rmSync } from 'node:fs'

import { type Bench, fileIn } from '../lib/bench.ts'
import { addNotifications, closeDatabase, openDatabase } from '../lib/data.ts'
import { register, startProduct } from '../lib/product.ts'
import { whole } from '../lib/report.ts'
import { against, SIZE, type Table } from './pages.ts'

/** Notifications of an ordinary user. */
const OWN = 1000

export async function run(bench: Bench): Promise<void> {
  const sizes = bench.smoke ? [1000, 2000] : [1000, 1_000_000]
  const tables: Table[] = []
  for (const rows of sizes) tables.push(await table(bench, rows))

  const path = `/api/notifications?size=${SIZE}`
  const asked: [string, (t: Table) => string[]][] = [
    ['first page of notifications', () => [path]],
    ['last page of notifications', (t) => [`${path}&page=${t.rows / SIZE}`]],
    ['first page of unread notifications', () => [`${path}&read=false`]],
    ['first page of notifications of a type', () => [`${path}&type=ORG_INVITE`]],
    ['count of unread notifications', () => ['/api/notifications/unread-count']],
    ['count of all notifications', () => ['/api/notifications/total-count']],
  ]
  await against(bench, tables, `page of notifications, user with ${whole(OWN)} rows`, (t) => [t.one, [path]])
  for (const [what, paths] of asked)
    await against(bench, tables, `${what}, user owning all rows`, (t) => [t.all, paths(t)])

  for (const { rows, server } of tables) {
    await server.kill()
    rmSync(fileIn(bench, `rows-${rows}`), { recursive: true, force: true })
  }
}

async function table(bench: Bench, rows: number): Promise<Table> {
  const dataDir = fileIn(bench, `rows-${rows}`)
  mkdirSync(dataDir, { recursive: true })
  const first = await startProduct(dataDir)
  const one = await register(first, 'one')
  const all = await register(first, 'all', 'bench-device-of-the-owner-of-all')
  await first.stop()
  const db = openDatabase(dataDir)
  addNotifications(db, one.userId, OWN)
  addNotifications(db, all.userId, rows)
  closeDatabase(db)
  return { rows, server: bench.own(await startProduct(dataDir)), one, all }
}
