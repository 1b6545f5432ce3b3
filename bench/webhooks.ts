/**
 * The CPU of creating assets with and without webhooks that get their events: `bun bench/webhooks.ts`. The same server creates assets of three organizations
 * in turn: one without a webhook on a server without any, one without a webhook beside others that have some, and one with a webhook whose
 * deliveries wait. Prints microseconds of CPU for each creation, and their ratios.
 */

import { startServer } from '../test/harness/index.ts'

const ROUNDS = 5
const ASSETS = 120

// A port that nobody listens on: attempts fail at once.
const server = await startServer({ config: { privateTargets: ['http://127.0.0.1:1'], checkAnswers: false } })
try {
  const ann = await server.person('ann')
  const newOrg = async (name: string) => (await ann.post('/api/orgs', { name })).data.id as number
  const [plain, watched] = [await newOrg('plain'), await newOrg('watched')]
  let n = 0
  const round = async (orgId: number) => {
    const before = process.cpuUsage()
    for (let i = 0; i < ASSETS; i++) {
      const { status } = await ann.post('/api/assets', { name: `asset ${n++}`, orgId })
      if (status !== 200) throw new Error(`answered ${status}`)
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / ASSETS
  }
  const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!
  const rounds = { none: [] as number[], unmatched: [] as number[], matched: [] as number[] }
  await round(plain)
  await round(watched)
  const create = async () =>
    (await ann.post('/api/webhooks', { name: 'ERP', url: 'http://127.0.0.1:1/', events: ['*'], orgId: watched })).data
      .id as number
  for (let i = 0; i < ROUNDS; i++) {
    rounds.none.push(await round(plain))
    const id = await create()
    rounds.unmatched.push(await round(plain))
    rounds.matched.push(await round(watched))
    await ann.delete(`/api/webhooks/${id}`)
  }
  const none = median(rounds.none)
  for (const [name, list] of Object.entries(rounds))
    console.log(`${name.padEnd(10)} ${median(list).toFixed(0)} µs, ratio ${(median(list) / none).toFixed(3)}`)
} finally {
  await server.stop()
}
