/** Durable writes: the store (`synchronous=FULL`, group commit) against one transaction per request with FULL and with NORMAL. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { type Bench, fileIn } from '../lib/bench.ts'
import { ROOT } from '../lib/product.ts'
import { round, whole } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

interface Timing {
  perSecond: number
  p99Ms: number
}
const MODES = ['store', 'FULL', 'NORMAL'] as const
type Mode = (typeof MODES)[number]

export async function run(bench: Bench): Promise<void> {
  for (const clients of bench.smoke ? [16] : [1, 16, 64]) {
    const timings = new Map<Mode, Timing[]>(MODES.map((mode) => [mode, []]))
    for (let i = 0; i < (bench.smoke ? 1 : 5); i++)
      for (const mode of MODES) timings.get(mode)!.push(await once(bench, mode, clients, i))
    const of = (mode: Mode): Timing => ({
      perSecond: median(timings.get(mode)!.map((t) => t.perSecond)),
      p99Ms: median(timings.get(mode)!.map((t) => t.p99Ms)),
    })
    const ours = of('store')
    const goals = {
      FULL: clients === 64 ? { min: 10 } : clients === 1 ? { min: 0.85 } : undefined,
      NORMAL: clients === 64 ? { min: 2 } : undefined,
    }
    const show = (t: Timing): string => `${whole(t.perSecond)}/s, p99 ${round(t.p99Ms)} ms`
    for (const mode of ['FULL', 'NORMAL'] as const)
      bench.report.value(
        `durable writes, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
        show(ours),
        ours.perSecond / of(mode).perSecond,
        `one transaction per request, ${mode}`,
        show(of(mode)),
        goals[mode],
      )
    if (clients === 64) {
      bench.report.value(
        'durable writes, 64 clients, p99',
        `${round(ours.p99Ms)} ms`,
        ours.p99Ms,
        '',
        '',
        { max: 10 },
        'ms',
      )
      bench.report.value(
        'durable writes, 64 clients, rate',
        `${whole(ours.perSecond)}/s`,
        ours.perSecond,
        'the prototype',
        '25,000/s',
        { min: 25_000 },
        '/s',
      )
    }
  }
}

async function once(bench: Bench, mode: Mode, clients: number, round: number): Promise<Timing> {
  const dataDir = fileIn(bench, `${mode}-${clients}-${round}`)
  mkdirSync(dataDir, { recursive: true })
  const command = [
    process.execPath,
    join(ROOT, 'bench/servers/writes.ts'),
    mode,
    String(clients),
    bench.smoke ? '0.2' : '1.2',
    dataDir,
  ]
  const child = Bun.spawn(command, { cwd: dataDir, stdio: ['ignore', 'pipe', 'inherit'], timeout: 60_000 })
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`writes ${mode} failed`)
  return JSON.parse(output) as Timing
}
