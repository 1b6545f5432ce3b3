/** Searches of many large QR codes: other requests and other users are answered meanwhile. */

import { beforeAll, expect, test } from 'bun:test'

import { MAX_WAITING } from '#db/engine/search-queue.ts'
import { SearchRefused } from '#db/errors.ts'
import { SLICE_ROWS } from '#db/slices.ts'
import { publicError } from '#http/respond.ts'

import { inProcess, ok, until, useServer } from '../harness/index.ts'
import { createCode } from './helpers.ts'

const { server, attacker, other } = useServer({ people: ['attacker', 'other'] })

/** Enough for ten slices. */
const TOTAL = 10 * SLICE_ROWS
const KEYWORD = `${'a'.repeat(99)}b`

beforeAll(async () => {
  const item = { name: 'a'.repeat(100), content: 'a'.repeat(2900), remark: 'a'.repeat(2000), style: { level: 'L' } }
  for (let made = 0; made < TOTAL; made += 500)
    ok(await attacker.post('/api/qr-codes/batch', { items: Array.from({ length: 500 }, () => item) }))
})

test('a search of 2,500 large codes delays neither other requests nor the search of another user', async () => {
  const code = await createCode(other, { name: 'needle' })
  const answered: string[] = []
  const [found, own, health] = await Promise.all([
    attacker.get('/api/qr-codes', { keyword: KEYWORD }).finally(() => answered.push('attack')),
    other.get('/api/qr-codes', { keyword: 'NEEDLE' }).finally(() => answered.push('search')),
    server.request('GET', '/actuator/health').finally(() => answered.push('health')),
  ])
  expect(ok(found).data).toMatchObject({ items: [], total: 0 })
  expect(ok(own).data).toMatchObject({ items: [code], total: 1 })
  expect(ok(health).status).toBe(200)
  expect(answered.at(-1)).toBe('attack')
})

test.if(inProcess)('the oldest waiting searches of a user who starts many at once are refused with 4022', async () => {
  const id = ok(await other.get('/api/auth/userinfo')).data.id as number
  const end = Promise.withResolvers<void>()
  const running = server.ctx.db.search(id, () => end.promise)
  const refused: { status: number; code: number; retryAfter: string | null }[] = []
  let answers = 0
  const searches = Array.from({ length: MAX_WAITING + 3 }, async () => {
    const reply = await other.get('/api/qr-codes', { keyword: 'needle' })
    answers++
    if (reply.status !== 200)
      refused.push({ status: reply.status, code: reply.code, retryAfter: reply.headers.get('retry-after') })
  })
  await until(async () => answers === 3)
  expect(refused).toEqual(Array.from({ length: 3 }, () => ({ status: 429, code: 4022, retryAfter: '1' })))
  end.resolve()
  await Promise.all([running, ...searches])
  expect(answers).toBe(MAX_WAITING + 3)
  expect(refused).toHaveLength(3)
})

test('a search that takes too long is answered with 503 and Retry-After', () => {
  expect(publicError(new SearchRefused('timeout'))).toMatchObject({
    status: 503,
    code: 503,
    extras: { retryAfter: 10 },
  })
})
