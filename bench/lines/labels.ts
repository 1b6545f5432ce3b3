/**
 * 5,000 labels of a filter: CPU time and memory of the server in each format, what a label costs beside a fifth of them, and other requests meanwhile.
 */

import { mkdirSync } from 'node:fs'

import { csvRow } from '#lib/spreadsheets/csv-writer.ts'

import { type Bench, fileIn } from '../lib/bench.ts'
import { treeCpuSeconds, treeMiB } from '../lib/process.ts'
import { call, get, type Person, register, startProduct } from '../lib/product.ts'
import { round, whole } from '../lib/report.ts'

const LABELS = 5000
const FEW = LABELS / 5
/** Far below the capacity of the server. */
const OTHERS = { connections: 4, pauseMs: 5 }
const MAX_CPU_S = 10
const MAX_MEMORY_MB = 100
const FORMATS = ['PDF', 'SVG', 'PNG', 'ZPL'] as const

interface Measured {
  readonly cpuS: number
  readonly memoryMb: number
  readonly bytes: number
}

export async function run(bench: Bench): Promise<void> {
  const many = bench.smoke ? 50 : LABELS
  const few = bench.smoke ? 10 : FEW
  const dataDir = fileIn(bench, 'labels')
  mkdirSync(dataDir, { recursive: true })
  const product = bench.own(await startProduct(dataDir))
  const me = await register(product, 'printer')
  const other = await register(product, 'other', 'bench-device-of-the-other-01')
  await addAssets(product.port, me, many)
  /** A fifth of the names contain `few`. */
  const print = (format: string, isAll: boolean): Promise<Measured> =>
    measured(product.pid, async () => {
      const body = {
        ...(isAll ? { filter: {} } : { filter: { keyword: 'few' } }),
        profile: { media: { key: 'roll-50x30' }, fields: ['name', 'assetNo', 'brand', 'model', 'serialNo'] },
        format,
        ...((format === 'PNG' || format === 'ZPL') && { dpi: 300 }),
      }
      const response = await fetch(`http://127.0.0.1:${product.port}/api/assets/labels`, {
        method: 'POST',
        headers: { ...me.headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (response.status !== 200) throw new Error(`labels answered ${response.status}: ${await response.text()}`)
      let bytes = 0
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length
      return bytes
    })
  await call(product, 'GET', '/api/auth/userinfo', other.headers)
  const load = { port: product.port, requests: [get('/api/auth/userinfo', other.headers)], ...OTHERS }
  const idle = await bench.load.run({ ...load, seconds: bench.smoke ? 0.2 : 4 })
  for (const format of FORMATS) {
    const part = await print(format, false)
    const all = await print(format, true)
    bench.report.value(
      `${whole(many)} labels as ${format}, ${whole(all.bytes / 1e6)} MB, memory over before ${whole(all.memoryMb)} MB`,
      `${round(all.cpuS)} s of CPU`,
      all.cpuS / MAX_CPU_S,
      'limit',
      `${MAX_CPU_S} s`,
      { max: 1 },
    )
    bench.report.value(
      `memory of ${whole(many)} labels as ${format}`,
      `${whole(all.memoryMb)} MB`,
      all.memoryMb / MAX_MEMORY_MB,
      'limit',
      `${MAX_MEMORY_MB} MB`,
      { max: 1 },
    )
    bench.report.value(
      `CPU of ${whole(many)} labels as ${format}`,
      `${round(all.cpuS)} s`,
      all.cpuS / part.cpuS,
      `${whole(few)} labels`,
      `${round(part.cpuS)} s`,
      { max: 6 },
    )
  }
  const running = print('PDF', true)
  const busy = await bench.load.run({ ...load, seconds: bench.smoke ? 0.2 : 2 })
  await running
  bench.report.value(
    'p99 of other reads while labels are made',
    `${round(busy.p99Ms)} ms`,
    busy.p99Ms / (idle.p99Ms + 20),
    'idle + 20 ms',
    `${round(idle.p99Ms + 20)} ms`,
    { max: 1 },
  )
}

async function addAssets(port: number, { headers }: Person, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => [
    i < count / 5 ? `Laptop few ${i}` : `Laptop 图书馆 ${i}`,
    `A-2026-${String(i).padStart(5, '0')}`,
    'ThinkPad',
    `X${i % 50}`,
    `SN${i * 7919}`,
  ])
  const form = new FormData()
  const text = [['Name', 'Asset no.', 'Brand', 'Model', 'Serial no.'], ...rows].map(csvRow).join('')
  form.set('file', new File([text], 'assets.csv'))
  const response = await fetch(`http://127.0.0.1:${port}/api/assets/import`, { method: 'POST', headers, body: form })
  if (response.status !== 200) throw new Error(`the import answered ${response.status}: ${await response.text()}`)
}

async function measured(pid: number, work: () => Promise<number>): Promise<Measured> {
  const [before, idle] = [treeCpuSeconds(pid), treeMiB(pid)]
  let highest = idle
  const timer = setInterval(() => (highest = Math.max(highest, treeMiB(pid))), 20)
  try {
    const bytes = await work()
    return { cpuS: treeCpuSeconds(pid) - before, memoryMb: highest - idle, bytes }
  } finally {
    clearInterval(timer)
  }
}
