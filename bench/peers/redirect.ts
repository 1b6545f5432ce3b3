/** The minimum: a bare `Bun.serve` that leads every request to BENCH_TARGET. */

const headers = { location: process.env['BENCH_TARGET'] ?? 'https://example.org/' }
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(null, { status: 302, headers }) })
console.log(`listening on http://127.0.0.1:${server.port}`)
