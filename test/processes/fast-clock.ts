/** Runs the server with a clock that is twenty times as fast, so that its jobs begin after three seconds. */

const real = Date.now.bind(Date)
const start = real()
Date.now = () => start + (real() - start) * 20

await import('../../src/main.ts')
