/** Images per second of the pipeline for uploaded photos, and the memory it takes, against sharp on Node. */

import { join } from 'node:path'

import { type Bench, fileIn } from '../lib/bench.ts'
import { PEERS } from '../lib/peers.ts'
import { type Started, startServer, treeCpuSeconds, treeMiB } from '../lib/process.ts'
import { ROOT } from '../lib/product.ts'
import { round, times } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

/** The pipeline decodes two images at once. */
const AT_ONCE = 2
const PHOTOS = [
  { name: '12 megapixels', width: 4032, height: 3024, images: 16 },
  { name: '2 megapixels', width: 1632, height: 1224, images: 80 },
] as const
const ROUNDS = 5
/** Milliseconds between two looks at the memory. */
const SAMPLE_MS = 10

interface Side {
  readonly name: string
  readonly server: Started
  readonly perSecond: number[]
  /** CPU time of an image. */
  readonly cpuUs: number[]
  /** Highest resident memory of the process and its children, less that before the first image. MiB. */
  readonly peaks: number[]
}

export async function run(bench: Bench): Promise<void> {
  const sides: Side[] = []
  const start = async (name: string, command: string[]): Promise<void> => {
    sides.push({ name, server: bench.own(await startServer(command)), perSecond: [], cpuUs: [], peaks: [] })
  }
  await start('Tessera', [process.execPath, join(ROOT, 'bench/servers/images.ts')])
  if (bench.peers) await start('sharp', ['node', join(PEERS, 'sharp.mjs')])
  const idle = sides.map(({ server }) => treeMiB(server.pid))

  for (const { name, width, height, images } of PHOTOS) {
    const input = fileIn(bench, `${width}.jpg`)
    await Bun.write(input, await photo(width, height))
    for (const side of sides) {
      side.perSecond.length = side.cpuUs.length = side.peaks.length = 0
      await convert(bench, side, input, AT_ONCE)
      await sameSize(bench, side, width, height)
    }
    for (let i = 0; i < (bench.smoke ? 1 : ROUNDS); i++)
      for (const [at, side] of sides.entries()) {
        let peak = 0
        const sampler = setInterval(() => (peak = Math.max(peak, treeMiB(side.server.pid))), SAMPLE_MS)
        const cpu = treeCpuSeconds(side.server.pid)
        const startedAt = performance.now()
        const count = bench.smoke ? AT_ONCE : images
        await convert(bench, side, input, count)
        side.perSecond.push((count / (performance.now() - startedAt)) * 1000)
        side.cpuUs.push(((treeCpuSeconds(side.server.pid) - cpu) / count) * 1e6)
        clearInterval(sampler)
        side.peaks.push(peak - idle[at]!)
      }
    report(bench, `photos of ${name}, re-encoded with thumbnail, ${AT_ONCE} at once`, sides)
  }
}

function report(bench: Bench, line: string, sides: readonly Side[]): void {
  const [ours, theirs] = sides.map(({ perSecond, cpuUs, peaks }) => ({
    perSecond: median(perSecond),
    cpuUs: median(cpuUs),
    peak: Math.max(...peaks),
  }))
  const figures = `${round(ours!.perSecond)}/s, ${round(ours!.cpuUs / 1000)} ms CPU`
  if (theirs === undefined) return bench.report.value(line, figures, 1, '', '')
  const cpu = theirs.cpuUs / ours!.cpuUs
  bench.report.add({
    what: line,
    against: 'sharp on Node',
    ours: figures,
    theirs: `${round(theirs.perSecond)}/s, ${round(theirs.cpuUs / 1000)} ms CPU`,
    ratio: `${times(ours!.perSecond / theirs.perSecond)} images/s, ${times(cpu)} CPU`,
    // Both use all cores, so on an idle machine the two ratios are the same; on a busy one, programs with more threads get more.
    goal: '≥ 1 CPU',
    met: cpu >= 1,
  })
  bench.report.value(
    `${line}, highest memory of all processes over idle`,
    `${round(ours!.peak)} MiB`,
    ours!.peak / theirs.peak,
    'sharp on Node',
    `${round(theirs.peak)} MiB`,
  )
}

/** Sends `count` conversions of `input`, always `AT_ONCE` at the same time. */
async function convert(bench: Bench, { name, server }: Side, input: string, count: number): Promise<void> {
  let left = count
  const client = async (_: unknown, number: number): Promise<void> => {
    const [output, thumbnail] = ['output', 'thumbnail'].map((file) => fileIn(bench, `${name}-${file}-${number}`))
    const query = new URLSearchParams({ input, output: output!, thumbnail: thumbnail! })
    while (left-- > 0) {
      const response = await fetch(`http://127.0.0.1:${server.port}/?${query}`)
      const answer = await response.text()
      if (answer !== 'done') throw new Error(`${name} answered ${response.status}: ${answer}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
}

/** @throws Error if the last conversion did not write both files as it should */
async function sameSize(bench: Bench, { name }: Side, width: number, height: number): Promise<void> {
  const image = await new Bun.Image(fileIn(bench, `${name}-output-0`)).metadata()
  const thumbnail = await new Bun.Image(fileIn(bench, `${name}-thumbnail-0`)).metadata()
  const wanted = { width, height, format: 'jpeg' }
  const wantedThumbnail = { width: 400, height: 300, format: 'webp' }
  if (!Bun.deepEquals(image, wanted) || !Bun.deepEquals(thumbnail, wantedThumbnail))
    throw new Error(`${name} wrote ${JSON.stringify([image, thumbnail])}`)
}

/** A JPEG with gradients, edges and noise, so that it compresses like a photo. */
async function photo(width: number, height: number): Promise<Uint8Array> {
  const rowBytes = Math.ceil((width * 3) / 4) * 4
  const bmp = Buffer.alloc(54 + rowBytes * height)
  bmp.write('BM')
  bmp.writeUInt32LE(bmp.length, 2)
  bmp.writeUInt32LE(54, 10)
  bmp.writeUInt32LE(40, 14)
  bmp.writeInt32LE(width, 18)
  bmp.writeInt32LE(height, 22)
  bmp.writeUInt16LE(1, 26)
  bmp.writeUInt16LE(24, 28)
  let state = 1
  for (let y = 0; y < height; y++)
    for (let x = 0, at = 54 + y * rowBytes; x < width; x++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      const noise = (state >>> 24) / 16
      const edge = (x >> 6) % 3 === (y >> 6) % 3 ? 60 : 0
      bmp[at++] = 90 + 80 * Math.sin(x / 97) + noise
      bmp[at++] = 90 + 80 * Math.sin((x + y) / 61) * Math.cos(y / 143) + noise
      bmp[at++] = 60 + 60 * Math.cos(y / 79) + edge + noise
    }
  return new Bun.Image(bmp).jpeg({ quality: 90 }).bytes()
}
