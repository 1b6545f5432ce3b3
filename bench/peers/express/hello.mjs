/** The peer for starting: a trivial Express server. */

import express from 'express'

const app = express()
app.get('/', (_request, response) => void response.json({ hello: 'world' }))
const server = app.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`))
