/**
 * The minimum for files: a bare `Bun.serve` that answers `GET /{name}` with a file of BENCH_DATA_DIR, and writes the body of a POST to a
 * new file while it arrives. `POST /synced` also flushes it to the disk, as a server must that never loses what it has confirmed.
 */

import { open } from 'node:fs/promises'
import { join } from 'node:path'

const folder = process.env['BENCH_DATA_DIR']!
let received = 0

async function receive(request: Request, isSynced: boolean): Promise<Response> {
  const handle = await open(join(folder, `received-${++received}`), 'wx')
  for await (const chunk of request.body!) await handle.writeFile(chunk)
  if (isSynced) await handle.sync()
  await handle.close()
  return Response.json({ code: 200 })
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  maxRequestBodySize: 64 * 1024 * 1024,
  fetch(request) {
    const { pathname } = new URL(request.url)
    return request.method === 'POST'
      ? receive(request, pathname === '/synced')
      : new Response(Bun.file(join(folder, pathname.slice(1))))
  },
})
console.log(`listening on http://127.0.0.1:${server.port}`)
