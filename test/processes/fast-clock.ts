/** Runs the server with a clock that is `SPEED` times as fast, so that its jobs begin after three seconds. */
export const SPEED = 20

const real = Date.now.bind(Date)
const start = real()
Date.now = () => start + (real() - start) * SPEED

await import('../../src/main.ts')
