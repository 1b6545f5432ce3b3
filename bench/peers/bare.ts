/** The minimum: a bare `Bun.serve` that answers `/0`, `/1`, … with constants of the sizes in BENCH_BYTES (`300,5000,…`). */

const bodies = (process.env['BENCH_BYTES'] ?? '20').split(',').map((bytes) => 'x'.repeat(Number(bytes)))
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  routes: Object.fromEntries(
    bodies.map((body, i) => [`/${i}`, () => new Response(body, { headers: { 'content-type': 'application/json' } })]),
  ),
  fetch: () => new Response('Not found', { status: 404 }),
})
console.log(`listening on http://127.0.0.1:${server.port}`)
