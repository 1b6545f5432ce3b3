/**
 * `bun bench/qr.ts`: draws QR codes of new contents with our encoder and with `toBuffer` of `qrcode`, in turns in one process. Prints
 * microseconds and bytes per picture and their ratios. There is no server; `bench/run.ts --only render` measures requests.
 */

import QRCode from 'qrcode'

import { encodeQr, type Level } from '#lib/qr/index.ts'
import { toPng } from '#lib/qr/png.ts'

const ROUNDS = 5
/** Pictures per round. Those of `qrcode` take some milliseconds each. */
const OURS = 2000
const THEIRS = 40

interface Subject {
  name: string
  content: (n: number) => string
  level: Level
  size: number
}

const SUBJECTS: Subject[] = [
  {
    name: 'link, 300',
    content: (n) => `https://example.org/products/${String(n).padStart(10, '0')}?ref=qr`,
    level: 'M',
    size: 300,
  },
  { name: 'Chinese, 300', content: (n) => `固定资产编号：A-${n}（北京）`, level: 'M', size: 300 },
  {
    name: 'link, 1024',
    content: (n) => `https://example.org/products/${String(n).padStart(10, '0')}?ref=qr`,
    level: 'Q',
    size: 1024,
  },
  { name: '1,000 bytes, 512', content: (n) => String(n).padEnd(1000, 'abcdefghij klmnop'), level: 'M', size: 512 },
]

let next = 0
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

interface Figure {
  us: number
  bytes: number
}

/** Microseconds and bytes per picture, averaged over `count` contents that were not drawn before. */
async function run(count: number, draw: (n: number) => Uint8Array | Promise<Uint8Array>): Promise<Figure> {
  let bytes = 0
  const started = performance.now()
  for (let i = 0; i < count; i++) bytes += (await draw(next++)).length
  return { us: ((performance.now() - started) * 1000) / count, bytes: Math.round(bytes / count) }
}

console.log('| picture | ours | qrcode | times as fast | ours | qrcode | of its bytes |\n|---|---|---|---|---|---|---|')
for (const { name, content, level, size } of SUBJECTS) {
  const ours = (n: number): Uint8Array =>
    toPng(encodeQr(content(n), level), { size, margin: 4, fg: '000000', bg: 'ffffff' })
  const theirs = (n: number): Promise<Uint8Array> =>
    QRCode.toBuffer(content(n), { errorCorrectionLevel: level, width: size, margin: 4 })
  await run(OURS, ours)
  await run(THEIRS, theirs)
  const figures: [Figure[], Figure[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    figures[0].push(await run(OURS, ours))
    figures[1].push(await run(THEIRS, theirs))
  }
  const [us, theirUs] = figures.map((list) => median(list.map((f) => f.us))) as [number, number]
  const [bytes, theirBytes] = figures.map((list) => median(list.map((f) => f.bytes))) as [number, number]
  console.log(
    `| ${name} | ${us.toFixed(0)} µs | ${theirUs.toFixed(0)} µs | ${(theirUs / us).toFixed(0)}× | ` +
      `${bytes} B | ${theirBytes} B | ${(bytes / theirBytes).toFixed(2)} |`,
  )
}
