/** Tessera's image pipeline behind a bare Bun.serve, with the same interface as peers/sharp.mjs. */

import { createImages } from '#platform/images/index.ts'

const images = createImages({ heic: () => true })

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const query = new URL(request.url).searchParams
    await images.process(query.get('input')!, 'image/jpeg', query.get('output')!, query.get('thumbnail')!, 0)
    return new Response('done')
  },
})
console.log(`listening on http://127.0.0.1:${server.port}`)
