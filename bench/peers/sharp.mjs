/** The peer for images: sharp behind node:http. Writes the image without metadata and upright, and its thumbnail. */

import { createServer } from 'node:http'

import sharp from 'sharp'

async function convert(input, output, thumbnail) {
  const open = () => sharp(input).autoOrient()
  const resized = open().resize(400, 400, { fit: 'inside', withoutEnlargement: true })
  await Promise.all([
    open().keepIccProfile().jpeg({ quality: 90 }).toFile(output),
    resized.webp({ quality: 80 }).toFile(thumbnail),
  ])
}

const server = createServer(async (request, response) => {
  const query = new URL(request.url, 'http://localhost').searchParams
  await convert(query.get('input'), query.get('output'), query.get('thumbnail'))
  response.end('done')
})
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`))
