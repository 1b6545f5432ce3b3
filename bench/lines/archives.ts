/**
 * A user exports 2 GB of files, which are on the local disk, or in a bucket by HTTP and by HTTPS: how much memory the server needs, and how long the reads of
 * others wait meanwhile. The bucket is that of versitygw on this machine, whose path is in TEST_S3_SERVER.
 */

import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { type Bench, fileIn } from '../lib/bench.ts'
import { closeDatabase, openDatabase } from '../lib/data.ts'
import { cpuSeconds, residentMiB, type Started } from '../lib/process.ts'
import { call, DEVICE_ID, get, PASSWORD, type Person, register, ROOT, signedIn, startProduct } from '../lib/product.ts'
import { round, whole } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

const FILE_BYTES = 5_000_000
const FILES = 400
/** Of another user, far below the capacity of the server. */
const OTHERS = { connections: 1, pauseMs: 10 }
const MAX_MIB = 50_000_000 / 1024 ** 2
const MAX_P99 = 3
/** The archive is complete once its file has not grown for so long: no pause of an export is nearly as long. */
const COMPLETE_MS = 500

const TLS = join(ROOT, 'test/harness/tls')
const CERTIFICATE = join(TLS, 'cert.pem')

type Place = 'local disk' | 'bucket' | 'bucket, HTTPS'

export async function run(bench: Bench): Promise<void> {
  await exports(bench, 'local disk')
  const program = process.env['TEST_S3_SERVER']
  if (!program) return bench.report.note('Exports with files in a bucket need TEST_S3_SERVER, and were left out.')
  for (const place of ['bucket', 'bucket, HTTPS'] as const) await exports(bench, place, program)
}

async function exports(bench: Bench, place: Place, program?: string): Promise<void> {
  const dataDir = fileIn(bench, place)
  mkdirSync(dataDir, { recursive: true })
  const env = program === undefined ? {} : await startBucket(bench, program, dataDir, place === 'bucket, HTTPS')
  const setUp = await startProduct(dataDir, { env })
  const person = await register(setUp, 'exporter')
  const other = await register(setUp, 'other', 'bench-device-of-the-other-01')
  await setUp.stop()
  const db = openDatabase(dataDir)
  db.run("INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES ('quota.storage', '0', 0)")
  closeDatabase(db)
  const filling = await startProduct(dataDir, { env })
  const files = bench.smoke ? 4 : FILES
  await upload(filling, person, files)
  await filling.stop()

  // A new process: memory that uploads have used and the export uses again would not count.
  const server = bench.own(await startProduct(dataDir, { env }))
  const signedInAgain = await signIn(server, person)
  const idle: number[] = []
  for (let i = 0; i < 3; i++) idle.push(await reads(bench, server, other))
  const cpu = cpuSeconds(server.pid)
  const startedAt = performance.now()
  await call(server, 'POST', '/api/auth/export', signedInAgain, {})
  const over = new AbortController()
  const phases = watch(server, dataDir, over.signal)
  do {
    const phase = phases.now
    const p99 = await reads(bench, server, other)
    if (phases.now === phase) phases[phase].p99.push(p99)
  } while (await isRunning(server, signedInAgain))
  over.abort()
  const seconds = (performance.now() - startedAt) / 1000
  const title = `export of ${whole((files * FILE_BYTES) / 1e6)} MB of files, ${place}`
  bench.report.note(`The ${title} took ${round(seconds)} s, and ${round(cpuSeconds(server.pid) - cpu)} s of CPU.`)
  for (const phase of ['packed', 'stored'] as const) {
    const { mib, p99 } = phases[phase]
    bench.report.value(
      `${title}: memory over idle while they are ${phase}`,
      `${round(mib)} MiB`,
      mib,
      '',
      '',
      { max: MAX_MIB },
      'MiB',
    )
    if (p99.length > 0)
      bench.report.value(
        `${title}: p99 of other reads while they are ${phase}`,
        `${round(median(p99))} ms`,
        median(p99) / median(idle),
        'without',
        `${round(median(idle))} ms`,
        { max: MAX_P99 },
      )
  }
  await server.kill()
  rmSync(dataDir, { recursive: true })
}

interface Phase {
  /** Most memory over idle. */
  mib: number
  /** Of each run of other reads, in milliseconds. */
  readonly p99: number[]
}

/** Reads the memory of the server every 20 ms, until `signal`. The archive is first packed in the folder for temporary files, and then stored. */
function watch({ pid }: Started, dataDir: string, signal: AbortSignal) {
  const idle = residentMiB(pid)
  const phases = {
    packed: { mib: 0, p99: [] } as Phase,
    stored: { mib: 0, p99: [] } as Phase,
    now: 'packed' as 'packed' | 'stored',
  }
  let bytes = 0
  let grewAt = performance.now()
  const timer = setInterval(() => {
    const now = temporaryBytes(join(dataDir, 'files/.staging'))
    if (now > bytes) grewAt = performance.now()
    bytes = Math.max(bytes, now)
    phases.now = performance.now() - grewAt < COMPLETE_MS ? 'packed' : 'stored'
    phases[phases.now].mib = Math.max(phases[phases.now].mib, residentMiB(pid) - idle)
  }, 20)
  signal.addEventListener('abort', () => clearInterval(timer))
  return phases
}

function temporaryBytes(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  } catch {
    // It was deleted, or a file of it was taken over.
    return 0
  }
}

/** The p99 of the reads of a few seconds, in milliseconds. */
async function reads(bench: Bench, { port }: Started, { headers }: Person): Promise<number> {
  const requests = [get('/api/auth/userinfo', headers)]
  const { p99Ms, statuses } = await bench.load.run({ port, requests, seconds: bench.smoke ? 0.2 : 3, ...OTHERS })
  if (Object.keys(statuses).some((status) => status !== '200')) throw new Error(`answers: ${JSON.stringify(statuses)}`)
  return p99Ms
}

/** @throws Error if it has failed */
async function isRunning(server: Started, headers: Record<string, string>): Promise<boolean> {
  const { status } = (await call(server, 'GET', '/api/auth/export', headers)) as { status: string }
  if (status === 'FAILED') throw new Error('the export has failed')
  return status === 'RUNNING'
}

/** An export wants a sign-in of the last minutes. */
async function signIn(server: Started, { username }: Person): Promise<Record<string, string>> {
  const body = { username, password: PASSWORD }
  const data = (await call(server, 'POST', '/api/auth/login', { 'x-device-id': DEVICE_ID }, body)) as {
    accessToken: string
  }
  return signedIn(data.accessToken)
}

/** PDFs, as far as the type is decided by their beginnings, with other bytes in each. */
async function upload({ port }: Started, { headers }: Person, files: number): Promise<void> {
  const bytes = new Uint8Array(FILE_BYTES)
  for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  bytes.set(Buffer.from('%PDF-1.7\n'))
  for (let i = 0; i < files; i++) {
    crypto.getRandomValues(bytes.subarray(100, 200))
    const body = new FormData()
    body.set('file', new File([bytes], `${i}.pdf`))
    const response = await fetch(`http://127.0.0.1:${port}/api/files/upload`, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`an upload answered ${response.status}: ${text.slice(0, 500)}`)
  }
}

/** Starts an S3 server. Returns the environment for a server whose files are there. */
async function startBucket(
  bench: Bench,
  program: string,
  dataDir: string,
  isTls: boolean,
): Promise<Record<string, string>> {
  const [objects, metadata] = [join(dataDir, 'objects'), join(dataDir, 'metadata')]
  for (const folder of [join(objects, 'files'), metadata]) mkdirSync(folder, { recursive: true })
  const probe = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const port = probe.port!
  await probe.stop(true)
  const tls = isTls ? ['--cert', CERTIFICATE, '--key', join(TLS, 'key.pem')] : []
  const options = [
    '--quiet',
    '--keep-alive',
    '--port',
    `127.0.0.1:${port}`,
    '--access',
    'bench',
    '--secret',
    'bench-secret',
    '--health',
    '/health',
    ...tls,
  ]
  const child = Bun.spawn([program, ...options, 'posix', '--sidecar', metadata, objects], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const kill = async (): Promise<void> => {
    child.kill()
    await child.exited
  }
  bench.own({ pid: child.pid, port, readyMs: 0, stop: kill, kill })
  const url = `${isTls ? 'https' : 'http'}://127.0.0.1:${port}/health`
  for (let i = 0; ; i++) {
    const answer = await fetch(url, { tls: { rejectUnauthorized: false } }).catch(() => undefined)
    await answer?.text()
    if (answer?.ok) break
    if (i === 100 || child.exitCode !== null) throw new Error(`${program} did not start`)
    await Bun.sleep(50)
  }
  return {
    TESSERA_STORAGE_URL: `s3://bench:bench-secret@127.0.0.1:${port}/files?tls=${isTls ? 'on' : 'off'}`,
    NODE_EXTRA_CA_CERTS: CERTIFICATE,
  }
}
