/** Downloads and uploads of files against a bare server, memory of many uploads at once, and the check of a signed URL. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { createUrlSigner } from '#platform/url-signer.ts'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import { closeDatabase, openDatabase } from '../lib/data.ts'
import { cpuSeconds, residentMiB, type Started, startServer } from '../lib/process.ts'
import { call, get, type Person, register, ROOT, startProduct } from '../lib/product.ts'
import { round, times } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

const MB = 1_000_000
const SIGNED_CHECKS = 200_000

export async function run(bench: Bench): Promise<void> {
  const dataDir = fileIn(bench, 'product')
  const peerDir = fileIn(bench, 'peer')
  for (const folder of [dataDir, peerDir]) mkdirSync(folder, { recursive: true })
  const setUp = await startProduct(dataDir)
  const person = await register(setUp, 'bench')
  await setUp.stop()
  const db = openDatabase(dataDir)
  db.run("INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES ('quota.storage', '0', 0)")
  closeDatabase(db)
  const product = bench.own(await startProduct(dataDir))
  const peer = bench.own(
    await startServer([process.execPath, join(ROOT, 'bench/peers/files.ts')], { BENCH_DATA_DIR: peerDir }),
  )
  await memory(bench, product, person)
  await downloads(bench, product, person, peer, peerDir)
  await uploads(bench, product, person, peer)
  signedUrls(bench)
}

/** A PDF, as far as the type is decided by its beginning, that no other call returns. */
function newFile(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  bytes.set(Buffer.from('%PDF-1.7\n'))
  return bytes
}

const formOf = (bytes: Uint8Array<ArrayBuffer>): FormData => {
  const form = new FormData()
  form.set('file', new File([bytes], 'bench.pdf'))
  return form
}

async function send(server: Started, path: string, headers: Record<string, string>, body: FormData): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST', headers, body })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`POST ${path} answered ${response.status}: ${text.slice(0, 500)}`)
  return (JSON.parse(text) as { data?: unknown }).data
}

const upload = (server: Started, { headers }: Person, bytes: Uint8Array<ArrayBuffer>) =>
  send(server, '/api/files/upload', headers, formOf(bytes)) as Promise<{ id: number; url: string }>

async function downloads(bench: Bench, product: Started, person: Person, peer: Started, peerDir: string) {
  for (const size of [MB, 20 * MB]) {
    const bytes = newFile(size)
    await Bun.write(join(peerDir, String(size)), bytes)
    const { id, url } = await upload(product, person, bytes)
    const path = url.slice(new URL(url).origin.length)
    const contender = (name: string, server: Started, request: string) => ({
      name,
      pid: server.pid,
      load: { port: server.port, requests: [request], connections: 8 },
    })
    const of = await measure(bench, [
      contender('signed URL', product, get(path)),
      contender('token', product, get(`/api/files/${id}/content`, person.headers)),
      contender('bare', peer, get(`/${size}`)),
    ])
    const name = `download of ${size / MB} MB`
    bench.report.http(`${name} by signed URL`, 'bare Bun.serve', of('signed URL'), of('bare'), 'rate', 0.85)
    bench.report.http(`${name} by token`, 'bare Bun.serve', of('token'), of('bare'), 'rate')
  }
}

interface UploadFigures {
  readonly mbPerSecond: number
  readonly cpuMs: number
}

/** `clients` upload at the same time, each `each` files. */
async function timeUploads(
  server: Started,
  clients: number,
  each: number,
  one: (bytes: Uint8Array<ArrayBuffer>) => Promise<unknown>,
): Promise<UploadFigures> {
  const size = 20 * MB
  const bodies = Array.from({ length: clients * each }, () => newFile(size))
  const cpu = cpuSeconds(server.pid)
  const startedAt = Bun.nanoseconds()
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let i = 0; i < each; i++) await one(bodies[client * each + i]!)
    }),
  )
  const seconds = (Bun.nanoseconds() - startedAt) / 1e9
  const files = clients * each
  return { mbPerSecond: (files * size) / MB / seconds, cpuMs: ((cpuSeconds(server.pid) - cpu) * 1000) / files }
}

async function uploads(bench: Bench, product: Started, person: Person, peer: Started): Promise<void> {
  const [clients, each] = bench.smoke ? [1, 1] : [2, 4]
  const contenders: Record<string, () => Promise<UploadFigures>> = {
    ours: () => timeUploads(product, clients, each, (bytes) => upload(product, person, bytes)),
    synced: () => timeUploads(peer, clients, each, (bytes) => send(peer, '/synced', {}, formOf(bytes))),
    bare: () => timeUploads(peer, clients, each, (bytes) => send(peer, '/', {}, formOf(bytes))),
  }
  const taken: Record<string, UploadFigures[]> = {}
  for (let i = 0; i < bench.rounds.rounds; i++)
    for (const [name, time] of Object.entries(contenders)) (taken[name] ??= []).push(await time())
  const of = (name: string, key: keyof UploadFigures) => median(taken[name]!.map((figures) => figures[key]))
  const shown = (name: string) => `${round(of(name, 'mbPerSecond'))} MB/s, ${round(of(name, 'cpuMs'))} ms`
  for (const [name, what, goal] of [
    ['synced', 'bare Bun.serve, flushed to disk', 0.7],
    ['bare', 'bare Bun.serve, not flushed', undefined],
  ] as const) {
    const ratio = of('ours', 'mbPerSecond') / of(name, 'mbPerSecond')
    bench.report.add({
      what: 'upload of 20 MB by form',
      against: what,
      ours: shown('ours'),
      theirs: shown(name),
      ratio: `${times(ratio)} MB/s, ${times(of(name, 'cpuMs') / of('ours', 'cpuMs'))} CPU`,
      ...(goal !== undefined && { goal: `≥ ${goal} MB/s`, met: ratio >= goal }),
    })
  }
}

/** Resident memory while 16 files of 20 MB arrive at once, over that of the idle server. */
async function memory(bench: Bench, product: Started, person: Person): Promise<void> {
  const bodies = Array.from({ length: bench.smoke ? 2 : 16 }, () => newFile(20 * MB))
  // The first upload creates what later ones use again.
  const { id } = await upload(product, person, newFile(MB))
  await call(product, 'DELETE', `/api/files/${id}`, person.headers)
  const idle = residentMiB(product.pid)
  let peak = idle
  const timer = setInterval(() => (peak = Math.max(peak, residentMiB(product.pid))), 5)
  await Promise.all(bodies.map((bytes) => upload(product, person, bytes)))
  clearInterval(timer)
  bench.report.value(
    `peak memory of ${bodies.length} uploads of 20 MB at once`,
    `${round(peak)} MiB`,
    peak - idle,
    'idle',
    `${round(idle)} MiB`,
    { max: 100 },
    'MiB more',
  )
}

function signedUrls(bench: Bench): void {
  const signer = createUrlSigner(crypto.getRandomValues(new Uint8Array(32)))
  const parts = ['file content', '12345', 'ORIGINAL', 'inline', '1900000000'] as const
  const [purpose, ...rest] = parts
  const signature = signer.sign(purpose, ...rest)
  const taken: number[] = []
  for (let i = 0; i < (bench.smoke ? 1 : 5); i++) {
    const startedAt = Bun.nanoseconds()
    for (let n = 0; n < SIGNED_CHECKS; n++)
      if (!signer.isValid(signature, purpose, ...rest)) throw new Error('the signature is not valid')
    taken.push((Bun.nanoseconds() - startedAt) / 1000 / SIGNED_CHECKS)
  }
  const us = median(taken)
  bench.report.value('check of a signed URL', `${round(us)} µs`, us, '', '', undefined, 'µs')
}
