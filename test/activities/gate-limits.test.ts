/** Rows that callers of `verify` can cause. */

import { expect, test } from 'bun:test'

import { spend } from '#db/counters.ts'
import { redemptions, refusedChecksOfDay } from '#domains/activities/gates/gates.service.ts'
import { usesOf } from '#http/budget.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, startServer, useServer } from '../harness/index.ts'
import { withPasses } from './pass-helpers.ts'

const { server, alice } = useServer({ people: ['alice'], rateLimit: true })

const check = (person: Person, id: number) => person.call('passes.verify', { params: { id }, body: { content: 'x' } })

test.if(inProcess)('refused checks of managers count like redemptions, because each is a row that stays', async () => {
  const { id } = await withPasses(alice)
  const { ctx } = server
  const allButOne = (redemptions.limit as number) - 1
  const uses = await usesOf(ctx, redemptions, { actor: { userId: alice.id }, caller: { ip: '' } }, allButOne)
  expect(ctx.limiter.takeAll(uses)).toBeUndefined()
  ok(await check(alice, id))
  expect((await check(alice, id)).status).toBe(429)
  expect(ok(await alice.call('passes.activityRecords', { params: { id } })).data.total).toBe(1)
})

test.if(inProcess)('refused checks of anyone else are limited to 10,000 a day for an address', async () => {
  await using limited = await startServer({ rateLimit: true })
  const { id } = await withPasses(await limited.person())
  const refused = () => limited.request('POST', `/api/activities/${id}/pass/verify`, { body: { content: 'x' } })
  const { ctx, clock } = limited
  const allButOne = (refusedChecksOfDay.limit as number) - 1
  const uses = await usesOf(ctx, refusedChecksOfDay, { actor: undefined, caller: { ip: '127.0.0.1' } }, allButOne)
  expect(await ctx.db.write('test.spend', (tx) => spend(tx, uses, clock.now()))).toBeUndefined()
  expect((await refused()).status).toBe(200)
  expect((await refused()).status).toBe(429)
  clock.advance(MINUTE)
  expect((await refused()).status).toBe(429)
  clock.advance(DAY)
  expect((await refused()).status).toBe(200)
})
