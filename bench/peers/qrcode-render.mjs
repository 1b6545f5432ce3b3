/** The peer for rendering: `toBuffer` of `qrcode` behind node:http, as its manual shows. */

import { createServer } from 'node:http'

import QRCode from 'qrcode'

const server = createServer(async (request, response) => {
  const query = new URL(request.url, 'http://localhost').searchParams
  const png = await QRCode.toBuffer(query.get('content'), {
    width: Number(query.get('size') ?? 300),
    errorCorrectionLevel: 'M',
  })
  response.writeHead(200, { 'content-type': 'image/png', 'content-length': png.length }).end(png)
})
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`))
