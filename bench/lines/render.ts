/** `GET /api/qrcode/render`: new content against `toBuffer` of `qrcode`, and cached content against a trivial endpoint. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import { COUNTER } from '../lib/load-spec.ts'
import { PEERS } from '../lib/peers.ts'
import { type Started, startServer } from '../lib/process.ts'
import { get, startGates, startProduct } from '../lib/product.ts'

const CONNECTIONS = 64
const SIZE = 300
const renderPath = (content: string): string => `/api/qrcode/render?size=${SIZE}&content=${encodeURIComponent(content)}`
const CONTENT = 'https://example.org/products/0000004711?ref=qr'

export async function run(bench: Bench): Promise<void> {
  const dataDir = fileIn(bench, 'render')
  mkdirSync(dataDir, { recursive: true })
  const product = bench.own(await startProduct(dataDir))
  const hello = bench.own(await startGates(fileIn(bench, 'render-hello')))
  // The placeholder is inserted after the content was encoded, because encoding would change it.
  const fresh = renderPath(CONTENT.replace('0000004711', 'NUMBER')).replace('NUMBER', COUNTER)
  const load = (server: Started, path: string, connections = CONNECTIONS) => ({
    pid: server.pid,
    load: { port: server.port, requests: [get(path)], connections },
  })

  if (bench.peers) {
    const peer = bench.own(await startServer(['node', join(PEERS, 'qrcode-render.mjs')]))
    const of = await measure(bench, [
      { name: 'ours', ...load(product, fresh) },
      // The peer answers a few hundred requests per second; more connections would only lengthen its queue.
      { name: 'qrcode', ...load(peer, fresh, 8) },
    ])
    bench.report.http('render PNG, new content', 'qrcode toBuffer, node:http', of('ours'), of('qrcode'), 'rate', 50)
    const [ours, theirs] = [await bytes(product), await bytes(peer)]
    bench.report.value('render PNG, size', `${ours} B`, ours / theirs, 'qrcode toBuffer', `${theirs} B`, { max: 0.333 })
  }
  const of = await measure(bench, [
    { name: 'cached', ...load(product, renderPath(CONTENT)) },
    { name: 'hello', ...load(hello, '/api/bench/open') },
  ])
  bench.report.http('render PNG, cached', 'trivial endpoint', of('cached'), of('hello'), 'cpu', 0.6)
}

/** Size of the picture in bytes. @throws Error if it is not a PNG */
async function bytes(server: Started): Promise<number> {
  const png = await (await fetch(`http://127.0.0.1:${server.port}${renderPath(CONTENT)}`)).bytes()
  if (png[0] !== 0x89 || png[1] !== 0x50) throw new Error('not a PNG')
  return png.length
}
