/**
 * The register of assets: a page of 20 with values of metadata must cost the same in registers of three sizes, in any order and with a
 * filter that selects as many assets in each. A filter by a range of metadata may cost twice as much as one by a fixed column.
 */

import { mkdirSync, rmSync } from 'node:fs'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import { addAssets, closeDatabase, openDatabase } from '../lib/data.ts'
import { call, get, type Person, register, startProduct } from '../lib/product.ts'
import { whole } from '../lib/report.ts'
import { against, SIZE, type Table } from './pages.ts'

const CONNECTIONS = 4
const METADATA_GOAL = 2
const PATH = `/api/assets?size=${SIZE}&include=values`
/** The assets that a filter by range selects. */
const RANGE = { min: 500, max: 599 }

interface Register extends Table {
  /** Ids of fields: one for the column of prices, and one whose values are rows of metadata. */
  price: number
  weight: number
}

export async function run(bench: Bench): Promise<void> {
  const sizes = bench.smoke ? [1000, 2000] : [1000, 100_000, 1_000_000]
  const registers: Register[] = []
  for (const rows of sizes) registers.push(await registerOf(bench, rows))
  const ask =
    (path: (r: Register) => string) =>
    (r: Register): [Person, string[]] => [r.all, [PATH + path(r)]]

  await against(
    bench,
    registers,
    'first page of assets with values',
    ask(() => ''),
  )
  await against(
    bench,
    registers,
    'last page of assets with values',
    ask(({ rows }) => `&page=${rows / SIZE}`),
  )
  await against(
    bench,
    registers,
    'page of assets in repair',
    ask(() => '&status=REPAIR'),
  )
  await against(
    bench,
    registers,
    'page of assets by price',
    ask(() => '&sort=-purchasePrice'),
  )
  await against(
    bench,
    registers,
    'page of assets in a range of metadata',
    ask((r) => rangeOf(r.weight)),
  )
  await against(
    bench,
    registers,
    'page of assets in a range of prices',
    ask((r) => cents(r.price)),
  )
  for (const r of registers) await metadataAgainstColumn(bench, r)
  for (const { rows, server } of registers) {
    await server.kill()
    rmSync(fileIn(bench, `assets-${rows}`), { recursive: true, force: true })
  }
}

const rangeOf = (field: number, { min, max } = RANGE): string => `&field.${field}.min=${min}&field.${field}.max=${max}`
const cents = (field: number): string => rangeOf(field, { min: RANGE.min / 100, max: RANGE.max / 100 })

async function metadataAgainstColumn(bench: Bench, { server, rows, all, price, weight }: Register): Promise<void> {
  const load = (path: string) => ({
    port: server.port,
    requests: [get(PATH + path, all.headers)],
    connections: CONNECTIONS,
  })
  const rounds = bench.smoke
    ? { rounds: 1, seconds: 0.2, warmUpSeconds: 0.1 }
    : { rounds: 3, seconds: 1, warmUpSeconds: 1 }
  const contenders = [
    { name: 'metadata', pid: server.pid, load: load(rangeOf(weight)) },
    { name: 'column', pid: server.pid, load: load(cents(price)) },
  ]
  const of = await measure(bench, contenders, rounds)
  const [metadata, column] = [of('metadata').cpuUs, of('column').cpuUs]
  bench.report.value(
    `range of metadata, ${whole(rows)} assets`,
    `${whole(metadata)} µs`,
    metadata / column,
    'the same range of a fixed column',
    `${whole(column)} µs`,
    { max: METADATA_GOAL },
  )
}

async function registerOf(bench: Bench, rows: number): Promise<Register> {
  const dataDir = fileIn(bench, `assets-${rows}`)
  mkdirSync(dataDir, { recursive: true })
  const first = await startProduct(dataDir)
  const one = await register(first, 'one')
  const all = await register(first, 'all', 'bench-device-of-the-owner-of-all')
  const fieldsPath = '/api/meta/objects/asset/fields'
  const create = async (name: string, type: string): Promise<number> =>
    ((await call(first, 'POST', fieldsPath, all.headers, { name, type })) as { id: number }).id
  const fields = { number: await create('Weight', 'NUMBER'), text: await create('Hall', 'TEXT') }
  const { items } = (await call(first, 'GET', `${fieldsPath}?size=100`, all.headers)) as {
    items: { id: number; entityColumn: string | null }[]
  }
  const price = items.find(({ entityColumn }) => entityColumn === 'purchasePrice')!.id
  await first.stop()
  const db = openDatabase(dataDir)
  addAssets(db, all.userId, rows, fields)
  closeDatabase(db)
  const server = bench.own(await startProduct(dataDir))
  return { rows, server, one, all, price, weight: fields.number }
}
