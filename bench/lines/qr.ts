/** Drawing alone, without a server: reports the table of bench/qr.ts. */

import { join } from 'node:path'

import type { Bench } from '../lib/bench.ts'
import { ROOT } from '../lib/product.ts'

const TIMEOUT_MS = 120_000

export async function run(bench: Bench): Promise<void> {
  if (bench.smoke)
    return bench.report.note(
      'qr: takes 30 s and is not part of smoke runs; the line `render` draws through the server.',
    )
  const child = Bun.spawn([process.execPath, join(ROOT, 'bench/qr.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: TIMEOUT_MS,
  })
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('bench/qr.ts failed')
  // | picture | ours | qrcode | times as fast | ours | qrcode | of its bytes |
  for (const line of output.split('\n').slice(2)) {
    const [, picture, us, theirUs, faster, bytes, theirBytes, share] = line.split('|').map((cell) => cell.trim())
    if (share === undefined) continue
    bench.report.value(`draw PNG, ${picture}`, us!, Number.parseFloat(faster!), 'qrcode toBuffer', theirUs!, {
      min: 50,
    })
    bench.report.value(`draw PNG, ${picture}, size`, bytes!, Number(share), 'qrcode toBuffer', theirBytes!, {
      max: 0.333,
    })
  }
}
