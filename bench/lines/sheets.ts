/**
 * Export and import of 50,000 assets with 20 columns, against SheetJS as it is usually used: the whole table in memory. Time is CPU time
 * of the process, and memory its highest resident size over idle.
 */

import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { toXlsx } from '#lib/spreadsheets/xlsx-writer.ts'

import { type Bench, fileIn } from '../lib/bench.ts'
import { closeDatabase, openDatabase } from '../lib/data.ts'
import { get, type Person, register, ROOT, startProduct } from '../lib/product.ts'
import { round, whole } from '../lib/report.ts'

const ROWS = 50_000
const HEADERS = [
  'Name',
  'Asset no.',
  'Status',
  'Brand',
  'Model',
  'Serial no.',
  'Purchase date',
  'Purchase price',
  'Supplier',
  'Warranty expiry',
  'Latitude',
  'Longitude',
  'Remark',
  'A',
  'B',
  'C',
  'D',
  'E',
  'F',
  'G',
]
/** The other requests: 4 phones, far below the capacity of the server. */
const OTHERS = { connections: 4, pauseMs: 5 }
const MAX_MEMORY_MB = 300
const MAX_EXPORT_MB = 100
const GOAL = 1 / 5

/** `version`: part of each name, so that another version changes every row. */
function* rows(count: number, version: number): Generator<(string | number | Temporal.PlainDate)[]> {
  const day = Temporal.PlainDate.from('2024-02-29')
  for (let i = 0; i < count; i++)
    yield [
      `Laptop ${i} v${version}`,
      `N-${i}`,
      'In use',
      'ThinkPad',
      `X${i % 50}`,
      `SN${i * 7919}`,
      day.add({ days: i % 700 }),
      (i % 5000) + 0.99,
      'Office World',
      day.add({ days: i % 900 }),
      30 + (i % 100) / 100,
      120 + (i % 77) / 100,
      `remark ${i} 备注`,
      'a',
      'b',
      i,
      'd',
      `text ${i % 1000}`,
      'f',
      i * 1.5,
    ]
}

/** Milliseconds of CPU time of a process and of its children that have ended. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}

/** Resident bytes of a process and its children, in MB. */
function memoryOf(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000
    return own + children.reduce((sum, child) => sum + memoryOf(child), 0)
  } catch {
    return 0
  }
}

interface Measured {
  readonly cpuMs: number
  readonly memoryMb: number
}

/** Runs `work` and measures the process `pid` meanwhile. */
async function measured(pid: number, work: () => Promise<void>): Promise<Measured> {
  const [before, idle] = [cpuOf(pid), memoryOf(pid)]
  let highest = idle
  const timer = setInterval(() => (highest = Math.max(highest, memoryOf(pid))), 20)
  try {
    await work()
    return { cpuMs: cpuOf(pid) - before, memoryMb: highest - idle }
  } finally {
    clearInterval(timer)
  }
}

/** Runs SheetJS in a process of its own. @throws Error if it fails */
async function sheetJs(task: 'read' | 'write', file: string, count: number): Promise<Measured> {
  const child = Bun.spawn([process.execPath, join(ROOT, 'bench/peers/sheetjs.ts'), task, file, String(count)], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('SheetJS failed')
  return JSON.parse(text) as Measured
}

export async function run(bench: Bench): Promise<void> {
  const count = bench.smoke ? 200 : ROWS
  const dataDir = fileIn(bench, 'sheets')
  mkdirSync(dataDir, { recursive: true })
  const setUp = await startProduct(dataDir)
  const other = await register(setUp, 'other', 'bench-device-of-the-other-01')
  const me = await register(setUp, 'importer', 'bench-device-of-importer')
  await setUp.stop()
  const db = openDatabase(dataDir)
  for (const [key, value] of [
    ['quota.assets', '0'],
    ['upload.maxBytes', '104857600'],
  ])
    db.query('INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES (?, ?, 0)').run(key!, value!)
  closeDatabase(db)
  const file = fileIn(bench, 'assets.xlsx')
  const columns = HEADERS.map((title) => ({ title, width: 12 }))
  const changedFile = fileIn(bench, 'changed.xlsx')
  for (const [version, path] of [file, changedFile].entries()) {
    const sheet = { name: 'Assets', columns, rows: rows(count, version) }
    await Bun.write(path, new Blob(await Array.fromAsync(toXlsx(sheet, 0))))
  }

  const product = bench.own(await startProduct(dataDir))
  const others = { port: product.port, requests: [get('/api/auth/userinfo', other.headers)], ...OTHERS }
  const idle = await bench.load.run({ ...others, seconds: bench.smoke ? 0.2 : 4 })
  const check = await measured(product.pid, () => send(product.port, me, file, { dryRun: 'true' }))
  const write = await measured(product.pid, () => send(product.port, me, file, {}))
  const running = send(product.port, me, changedFile, {})
  const busy = await bench.load.run({ ...others, seconds: bench.smoke ? 0.2 : 4 })
  await running
  const exported = await measured(product.pid, async () => {
    const response = await fetch(`http://127.0.0.1:${product.port}/api/assets/export`, { headers: me.headers })
    for await (const _ of response.body as unknown as AsyncIterable<Uint8Array>);
  })
  const [peerRead, peerWrite] = [
    await sheetJs('read', file, count),
    await sheetJs('write', fileIn(bench, 'peer.xlsx'), count),
  ]
  const line = (title: string, ours: Measured, peer: Measured) =>
    bench.report.value(
      `${title} (${whole(ours.memoryMb)} MB over idle)`,
      `${whole(ours.cpuMs)} ms`,
      ours.cpuMs / peer.cpuMs,
      `SheetJS, ${whole(peer.memoryMb)} MB`,
      `${whole(peer.cpuMs)} ms`,
      { max: GOAL },
    )
  line(`export of ${whole(count)} assets, read from the database`, exported, peerWrite)
  line(`dry run of an import of ${whole(count)} rows`, check, peerRead)
  // The same writes follow the reading of SheetJS.
  line(`import of ${whole(count)} rows`, write, { ...peerRead, cpuMs: peerRead.cpuMs + write.cpuMs - check.cpuMs })
  bench.report.value(
    'memory of an import over idle',
    `${whole(write.memoryMb)} MB`,
    write.memoryMb / MAX_MEMORY_MB,
    'limit',
    `${MAX_MEMORY_MB} MB`,
    { max: 1 },
  )
  bench.report.value(
    'memory of an export over idle',
    `${whole(exported.memoryMb)} MB`,
    exported.memoryMb / MAX_EXPORT_MB,
    'limit',
    `${MAX_EXPORT_MB} MB`,
    { max: 1 },
  )
  bench.report.value(
    'p99 of other reads during an import that changes all rows',
    `${round(busy.p99Ms)} ms`,
    busy.p99Ms / (idle.p99Ms + 20),
    'idle + 20 ms',
    `${round(idle.p99Ms + 20)} ms`,
    { max: 1 },
  )
}

async function send(
  port: number,
  { headers }: Person,
  file: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', Bun.file(file))
  const response = await fetch(`http://127.0.0.1:${port}/api/assets/import`, { method: 'POST', headers, body: form })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`the import answered ${response.status}: ${text.slice(0, 500)}`)
}
