/**
 * `bun run bench`: measures the product against its peers and prints a Markdown table of ratios. See docs/benchmarks.md.
 *
 *     --only NAME,NAME…   some lines only
 *     --smoke             seconds instead of minutes: shows that the suite works, its figures mean nothing
 *     --no-peers          leaves out the peers on Node
 *     --scratch DIR       where data directories are made (and deleted); needs 2 GB for `pages`
 *     --executable FILE   instead of dist/tessera
 */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { type LineModule, runLine } from './lib/bench.ts'
import { stopAll } from './lib/process.ts'
import { ROOT } from './lib/product.ts'
import { Report } from './lib/report.ts'

const LINES: Record<string, () => Promise<LineModule>> = {
  operations: () => import('./lines/operations.ts'),
  gates: () => import('./lines/gates.ts'),
  render: () => import('./lines/render.ts'),
  qr: () => import('./lines/qr.ts'),
  writes: () => import('./lines/writes.ts'),
  logins: () => import('./lines/logins.ts'),
  accounts: () => import('./lines/accounts.ts'),
  start: () => import('./lines/start.ts'),
  records: () => import('./lines/records.ts'),
  pages: () => import('./lines/pages.ts'),
  notifications: () => import('./lines/notifications.ts'),
  members: () => import('./lines/members.ts'),
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    smoke: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: true },
    scratch: { type: 'string', default: tmpdir() },
    executable: { type: 'string', default: join(ROOT, 'dist/tessera') },
  },
  allowNegative: true,
})
const names = values.only?.split(',') ?? Object.keys(LINES)
const unknown = names.filter((name) => !(name in LINES))
if (unknown.length > 0) {
  console.error(`No line ${unknown.join(', ')}; there are ${Object.keys(LINES).join(', ')}`)
  process.exit(2)
}

mkdirSync(values.scratch, { recursive: true })
const scratch = mkdtempSync(join(values.scratch, 'tessera-bench-'))
function cleanUp(): void {
  stopAll()
  rmSync(scratch, { recursive: true, force: true })
}
process.on('exit', cleanUp)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

const report = new Report()
const failed: string[] = []
for (const name of names) {
  console.error(`— ${name}`)
  try {
    await runLine(await LINES[name]!(), {
      report,
      smoke: values.smoke,
      scratch: mkdtempSync(join(scratch, `${name}-`)),
      peers: values.peers,
      executable: resolve(values.executable),
    })
  } catch (error) {
    failed.push(name)
    console.error(error)
  }
}

const gib = Math.round(totalmem() / 2 ** 30)
console.log(
  `\n${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${gib} GiB; Bun ${Bun.version}; ${new Date().toISOString().slice(0, 10)}`,
)
if (values.smoke) console.log('A smoke run: it shows that the suite works, its figures mean nothing.')
console.log(`\n${report.markdown()}`)
if (failed.length > 0) console.error(`\nDid not work: ${failed.join(', ')}`)
process.exit(failed.length > 0 ? 1 : 0)
