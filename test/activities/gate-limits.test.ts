/** Rows that callers of `verify` can cause. */

import { expect, test } from 'bun:test'

import { redemptions } from '#domains/activities/gates/service.ts'
import { usesOf } from '#http/budget.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
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

test('refused checks of anyone else are limited to 60 a minute for an address', async () => {
  const { id } = await withPasses(alice)
  const statuses: number[] = []
  for (let i = 0; i < 62; i++)
    statuses.push(
      (await server.request('POST', `/api/activities/${id}/pass/verify`, { body: { content: 'x' } })).status,
    )
  expect(statuses.filter((status) => status === 200)).toHaveLength(60)
  expect(statuses.slice(60)).toEqual([429, 429])
})
