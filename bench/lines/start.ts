/** The executable: size, time to the first response compared with a trivial Express server on Node, and resident memory. */

import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { type Bench, fileIn } from '../lib/bench.ts'
import { callEachOperation } from '../lib/each-operation.ts'
import { PEERS } from '../lib/peers.ts'
import { residentMiB, type Started, startServer } from '../lib/process.ts'
import { environment, PASSWORD, prepareExecutable, SOURCE } from '../lib/product.ts'
import { round } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

export async function run(bench: Bench): Promise<void> {
  const command = [bench.executable, 'serve']
  if (await prepareExecutable(bench.executable))
    bench.report.note(`${bench.executable} is older than src/. \`bun run build\` rebuilds dist/tessera.`)
  const dataDir = fileIn(bench, 'start')
  const sourceDir = fileIn(bench, 'source')
  const fresh = fileIn(bench, 'fresh')
  mkdirSync(dataDir, { recursive: true })
  mkdirSync(sourceDir, { recursive: true })
  // With an administrator, as in normal operation: without one, each start also creates a setup link and waits for the disk.
  const administrator = { TESSERA_ADMIN_USERNAME: 'operator', TESSERA_ADMIN_PASSWORD: PASSWORD }
  const tessera = (run: readonly string[], dir: string) => () =>
    startServer(
      run,
      { ...environment(dir), ...(existsSync(join(dir, 'tessera.db')) ? {} : administrator) },
      { cwd: dir },
    )
  const kinds: [name: string, path: string, start: () => Promise<Started>][] = [
    ['executable', '/actuator/health', tessera(command, dataDir)],
    ['source', '/actuator/health', tessera(SOURCE, sourceDir)],
    [
      'new',
      '/actuator/health',
      () => {
        rmSync(fresh, { recursive: true, force: true })
        mkdirSync(fresh)
        return startServer(command, environment(fresh), { cwd: fresh })
      },
    ],
  ]
  if (bench.peers)
    kinds.push([
      'express',
      '/',
      () => startServer(['node', join(PEERS, 'express/hello.mjs')], { NODE_ENV: 'production' }),
    ])
  const times = new Map<string, number[]>(kinds.map(([name]) => [name, []]))
  // The first start of each is not counted: it reads its files from the disk and creates the data directory.
  for (let i = 0; i <= (bench.smoke ? 1 : 10); i++)
    for (const [name, path, start] of kinds) {
      const ms = await firstResponse(start, path)
      if (i > 0) times.get(name)!.push(ms)
    }
  const ms = (name: string): number => median(times.get(name)!)
  const { report } = bench
  const size = statSync(bench.executable).size / 1024 / 1024
  report.add({ what: 'executable, size', against: '', ours: `${round(size)} MiB`, theirs: '', ratio: '' })
  if (bench.peers) {
    const peer = `${round(ms('express'))} ms`
    report.value(
      'executable, first response',
      `${round(ms('executable'))} ms`,
      ms('executable') / ms('express'),
      'Express hello on Node',
      peer,
      { max: 0.333 },
    )
    report.value(
      'executable, first response in an empty directory',
      `${round(ms('new'))} ms`,
      ms('new') / ms('express'),
      'Express hello on Node',
      peer,
    )
  }
  report.value(
    'executable, first response',
    `${round(ms('executable'))} ms`,
    ms('executable') / ms('source'),
    'bun src/main.ts',
    `${round(ms('source'))} ms`,
  )
  await memory(bench, tessera(command, dataDir))
}

async function memory(bench: Bench, start: () => Promise<Started>): Promise<void> {
  const server = bench.own(await start())
  await Bun.sleep(bench.smoke ? 200 : 3000)
  const idle = residentMiB(server.pid)
  bench.report.value('executable, resident idle', `${round(idle)} MiB`, idle, '', '', { max: 60 }, 'MiB')
  const called = await callEachOperation(server)
  await Bun.sleep(bench.smoke ? 200 : 2000)
  const after = residentMiB(server.pid)
  bench.report.value(
    `executable, resident after ${called.operations} operations`,
    `${round(after)} MiB`,
    after,
    '',
    '',
    { max: 100 },
    'MiB',
  )
  bench.report.note(`Each operation was called once: ${called.answers}.`)
  await server.stop()
}

/** Milliseconds from the start of the process to the end of the first answer. Stops the server afterwards. */
async function firstResponse(start: () => Promise<Started>, path: string): Promise<number> {
  const startedAt = performance.now()
  const server = await start()
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`)
  await response.bytes()
  const ms = performance.now() - startedAt
  await server.stop()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return ms
}
