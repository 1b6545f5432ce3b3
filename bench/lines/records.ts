/** The cost of more endpoint records at start: the executable as it is, and with 200 generated records more. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { allEndpoints } from '#app'

import { type Bench, fileIn } from '../lib/bench.ts'
import { residentMiB, startServer } from '../lib/process.ts'
import { ROOT } from '../lib/product.ts'
import { round } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

/** Fixed, and not up to a number in all: the product grows, and the limits are those of an addition of this size. */
const ADDED = 200
const STARTS = 30

export async function run(bench: Bench): Promise<void> {
  if (bench.smoke) return bench.report.note('records: builds two executables and is not part of smoke runs.')
  const today = allEndpoints.length
  const [few, many] = [await build(bench, 0), await build(bench, ADDED)]
  const times = { few: [] as number[], many: [] as number[] }
  const memory = { few: [] as number[], many: [] as number[] }
  for (let i = 0; i <= STARTS; i++)
    for (const [name, executable] of [
      ['few', few],
      ['many', many],
    ] as const) {
      const { ms, mib } = await start(bench, executable)
      // The first start is not counted: it reads its files from the disk.
      if (i > 0) {
        times[name].push(ms)
        memory[name].push(mib)
      }
    }
  const compare = (what: string, unit: string, values: typeof times, max: number) => {
    const [a, b] = [median(values.few), median(values.many)]
    const [ours, theirs] = [`${round(b)} ${unit}`, `${round(a)} ${unit}`]
    bench.report.value(
      `${today + ADDED} records, ${what}`,
      ours,
      b - a,
      `${today} records`,
      theirs,
      { max },
      ` ${unit}`,
    )
  }
  compare('first response', 'ms', times, 10)
  compare('resident idle', 'MiB', memory, 2)
}

async function start(bench: Bench, executable: string): Promise<{ ms: number; mib: number }> {
  const dataDir = fileIn(bench, 'data')
  mkdirSync(dataDir, { recursive: true })
  const startedAt = performance.now()
  const server = await startServer([executable], { BENCH_DATA_DIR: dataDir })
  const response = await fetch(`http://127.0.0.1:${server.port}/actuator/health`)
  await response.bytes()
  const ms = performance.now() - startedAt
  await Bun.sleep(500)
  const mib = residentMiB(server.pid)
  await server.stop()
  return { ms, mib }
}

/** Builds an executable with `count` additional records, written out as source like Tessera's own: a loop would cost less. */
async function build(bench: Bench, count: number): Promise<string> {
  // In a folder of the repository, so that the aliases of package.json work.
  const folder = mkdtempSync(join(ROOT, 'bench/.records-'))
  const entry = join(folder, 'main.ts')
  const executable = fileIn(bench, `records-${count}`)
  try {
    await Bun.write(entry, source(count))
    const command = [process.execPath, join(ROOT, 'scripts/build.ts'), '--entry', entry, '--outfile', executable]
    const { success, stderr } = Bun.spawnSync(command, { cwd: ROOT, stdout: 'ignore', stderr: 'pipe' })
    if (!success) throw new Error(`the executable could not be built: ${stderr.toString()}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
  return executable
}

function source(count: number): string {
  const resources = Array.from({ length: Math.ceil(count / 5) }, (_, i) => i)
  return `
import { createContext, domains, serve } from '#app'
import { defaultConfig } from '#config/config.ts'
import { domain } from '#domains/domain.ts'
import { app, endpoint } from '#http/endpoint.ts'
import { ById, Enum, Id, Line, Model, Nullable, PageOf, PageQuery, Time, Type } from '#http/schema.ts'
import { createLog } from '#platform/log.ts'

${resources.map(viewOf).join('')}
const endpoints = [${resources.flatMap(resource).slice(0, count).join('')}]
const config = { ...defaultConfig, host: '127.0.0.1', port: 0, dataDir: process.env['BENCH_DATA_DIR']! }
const ctx = await createContext(config, {
  log: createLog({ level: 'error', format: 'json' }),
  domains: [...domains, domain({ name: 'madeUp', endpoints })],
})
const server = await serve(ctx)
console.log('listening on ' + server.url)
process.on('SIGTERM', async () => {
  await server.kill()
  await ctx.close()
  process.exit(0)
})
export { ById, Enum, Id, Line, Model, Nullable, PageOf, PageQuery, Time, Type, app, endpoint }
`
}

/**
 * Five operations on one resource. Of the product's records, too, 40 % have a body of their own, 20 % a query and 40 % a schema of data
 * that no other record has.
 */
const resource = (i: number): string[] => {
  const view = `View${i}`
  const record = (id: string, rest: string): string =>
    `endpoint({ id: 'madeUp${i}.${id}', summary: 'Measure operation ${id} of resource ${i}', tag: 'Operations', ${rest} }),`
  const path = `path: '/api/made-up-${i}'`
  const pathOfOne = `path: '/api/made-up-${i}/:id', params: ById`
  const row = `{ id: 1, name: 'x', remark: null, status: 'ACTIVE', ownerId: actor.userId, pinned: false, sortOrder: 0, createdAt: 0, updatedAt: 0 } as const`
  return [
    record(
      'get',
      `method: 'GET', access: app('category:read'), ${pathOfOne}, data: ${view}, run: ({ actor }) => (${row})`,
    ),
    record(
      'list',
      `method: 'GET', access: app('category:read'), ${path}, data: PageOf(${view}),
      query: PageQuery({ keyword: Type.Optional(Line(100)), status: Type.Optional(Enum(['ACTIVE', 'ENDED', 'GONE'])) }),
      run: ({ actor, query }) => ({ items: [${row}], total: 1, page: query.page, size: query.size })`,
    ),
    record(
      'create',
      `method: 'POST', access: app('category:create'), ${path}, data: ${view}, run: ({ actor }) => (${row}),
      body: Type.Object({ name: Line(100, 1), remark: Type.Optional(Nullable(Line(2000))), at: Type.Optional(Time) })`,
    ),
    record(
      'update',
      `method: 'PUT', access: app('category:update'), ${pathOfOne}, data: ${view}, run: ({ actor }) => (${row}),
      body: Type.Object({ name: Type.Optional(Line(100, 1)), remark: Type.Optional(Nullable(Line(2000))) })`,
    ),
    record('delete', `method: 'DELETE', access: app('category:delete'), ${pathOfOne}, run: () => undefined`),
  ]
}

const viewOf = (i: number): string => `
const View${i} = Model('MadeUp${i}', {
  id: Id, name: Type.String(), remark: Nullable(Type.String()), status: Enum(['ACTIVE', 'ENDED', 'GONE']),
  ownerId: Id, pinned: Type.Boolean(), sortOrder: Type.Integer(), createdAt: Time, updatedAt: Time,
})`
