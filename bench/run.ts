/**
 * `bun run bench`: measures Tessera against its peers and prints a Markdown table of ratios. See docs/benchmarks.md.
 *
 *     --only NAME,NAME…   runs these lines only
 *     --smoke             takes seconds instead of minutes and only shows that the suite works; its figures are meaningless
 *     --no-peers          leaves out the peers that run on Node
 *     --scratch DIR       creates (and deletes) data directories in DIR; `pages` needs 2 GB, `archives` 6
 *     --executable FILE   measures FILE instead of dist/tessera
 *     --postgres URL      a PostgreSQL server on this machine for `processes` (or TEST_DATABASE_URL)
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
  files: () => import('./lines/files.ts'),
  render: () => import('./lines/render.ts'),
  redirect: () => import('./lines/redirect.ts'),
  links: () => import('./lines/links.ts'),
  qr: () => import('./lines/qr.ts'),
  images: () => import('./lines/images.ts'),
  writes: () => import('./lines/writes.ts'),
  keys: () => import('./lines/keys.ts'),
  logins: () => import('./lines/logins.ts'),
  exports: () => import('./lines/exports.ts'),
  archives: () => import('./lines/archives.ts'),
  sheets: () => import('./lines/sheets.ts'),
  labels: () => import('./lines/labels.ts'),
  accounts: () => import('./lines/accounts.ts'),
  people: () => import('./lines/people.ts'),
  start: () => import('./lines/start.ts'),
  records: () => import('./lines/records.ts'),
  pages: () => import('./lines/pages.ts'),
  assets: () => import('./lines/assets.ts'),
  notifications: () => import('./lines/notifications.ts'),
  members: () => import('./lines/members.ts'),
  search: () => import('./lines/search.ts'),
  activities: () => import('./lines/activities.ts'),
  chat: () => import('./lines/chat.ts'),
  pulls: () => import('./lines/pulls.ts'),
  pushes: () => import('./lines/pushes.ts'),
  console: () => import('./lines/console.ts'),
  processes: () => import('./lines/processes.ts'),
  web: () => import('./lines/web.ts'),
  https: () => import('./lines/https.ts'),
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    smoke: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: true },
    scratch: { type: 'string', default: tmpdir() },
    executable: { type: 'string', default: join(ROOT, 'dist/tessera') },
    postgres: { type: 'string', default: process.env['TEST_DATABASE_URL'] ?? '' },
  },
  allowNegative: true,
})
const names = values.only?.split(',') ?? Object.keys(LINES)
const unknown = names.filter((name) => !(name in LINES))
if (unknown.length > 0) {
  console.error(`There is no line ${unknown.join(', ')}. The lines are: ${Object.keys(LINES).join(', ')}`)
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
const next = names.values()
async function runLines(): Promise<void> {
  for (const name of next) {
    console.error(`— ${name}`)
    try {
      await runLine(await LINES[name]!(), {
        report,
        smoke: values.smoke,
        scratch: mkdtempSync(join(scratch, `${name}-`)),
        peers: values.peers,
        executable: resolve(values.executable),
        postgres: values.postgres,
      })
    } catch (error) {
      failed.push(name)
      console.error(error)
    }
  }
}
// Lines that run at the same time disturb each other's figures, which do not matter in a smoke run.
await Promise.all(Array.from({ length: values.smoke ? 2 : 1 }, runLines))

const gib = Math.round(totalmem() / 2 ** 30)
console.log(
  `\n${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${gib} GiB; Bun ${Bun.version}; ${new Date().toISOString().slice(0, 10)}`,
)
if (values.smoke) console.log('This was a smoke run: it shows that the suite works, and its figures are meaningless.')
console.log(`\n${report.markdown()}`)
if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}`)
process.exit(failed.length > 0 ? 1 : 0)
