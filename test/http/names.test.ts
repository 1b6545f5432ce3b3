/** Names that others see cannot be made to look like other names. */

import { expect, test } from 'bun:test'

import { ok, useServer } from '../harness/index.ts'

const { server, alice } = useServer({ people: ['alice'] })

const HIDDEN = ['\u202enimda', 'ad\u200bmin', 'ad\u2066min', 'ad\ufeffmin', 'ad\u200dmin']
const FAMILY = 'Lin 👨‍👩‍👧‍👦 王'

const org = async () => ok(await alice.call('orgs.create', { body: { name: 'Library' } })).data.id

const names: [what: string, give: (name: string) => Promise<{ status: number }>][] = [
  ['a nickname', (name) => alice.put('/api/auth/userinfo', { nickname: name })],
  ['a signature', (name) => alice.put('/api/auth/userinfo', { signature: name })],
  ['an organization', (name) => alice.post('/api/orgs', { name })],
  ['a location', async (name) => alice.post(`/api/orgs/${await org()}/locations`, { name })],
  ['a QR code', (name) => alice.post('/api/qr-codes', { name, content: 'x' })],
  ['a tag', (name) => alice.post('/api/qr-codes', { name: 'x', content: 'x', tags: [name] })],
  ['a category', (name) => alice.post('/api/categories', { name })],
  ['a scan record', (name) => alice.post('/api/scan-records', { content: 'x', title: name })],
]

test.each(names)(
  'the name of %s must not contain invisible characters, but may contain joined emoji',
  async (_, give) => {
    for (const name of HIDDEN) expect((await give(name)).status).toBe(400)
    expect((await give(FAMILY)).status).toBe(200)
  },
)

test('a nickname of 50 emoji is accepted and kept, and one of 51 is refused', async () => {
  const nickname = '👩🏽‍🚀'.repeat(50)
  ok(await alice.put('/api/auth/userinfo', { nickname }))
  expect(ok(await alice.get('/api/auth/userinfo')).data.nickname).toBe(nickname)
  expect((await alice.put('/api/auth/userinfo', { nickname: '👩🏽‍🚀'.repeat(51) })).status).toBe(400)
})

test('a nickname of 50 family emoji is refused for its UTF-16 units, in the language of the caller', async () => {
  for (const [language, message] of [
    ['en', 'must have at most 400 UTF-16 units'],
    ['zh', '最多 400 个 UTF-16 编码单元'],
  ] as const) {
    const reply = await alice.send('PUT', '/api/auth/userinfo', {
      body: { nickname: '👨‍👩‍👧‍👦'.repeat(50) },
      headers: { 'accept-language': language },
    })
    expect([reply.status, reply.details[0]!.message]).toEqual([400, expect.stringContaining(message)])
  }
  ok(await alice.put('/api/auth/userinfo', { nickname: '👨‍👩‍👧‍👦'.repeat(36) }))
})

test('three emoji are no password of six characters, and six are', async () => {
  const register = (username: string, password: string) =>
    server.request('POST', '/api/auth/register', { body: { username, password } })
  const refused = await register('emoji.one', '🦄🐙🦑')
  expect([refused.status, refused.details]).toEqual([
    400,
    [{ path: 'body.password', message: 'must have at least 6 characters' }],
  ])
  ok(await register('emoji.one', '🦄🐙🦑🦀🐡🐳'))
})

test('one emoji is no search for users', async () => {
  const q = async (text: string) => (await alice.get('/api/orgs/users/search', { q: text })).status
  expect([await q('🦄'), await q('🦄🐙')]).toEqual([400, 200])
})

test.each(['linmei.', 'linmei_', 'lin--mei', 'lin._mei'])('the username %s is refused', async (username) => {
  const body = { username, password: 'correct horse battery' }
  const reply = await server.request('POST', '/api/auth/register', { body })
  expect(reply.status).toBe(400)
  expect(reply.details[0]!.path).toBe('body.username')
})

test('a content and a description may contain any of these characters', async () => {
  const content = `\ufeff${HIDDEN.join(' ')}`
  const { data } = ok(await alice.call('qrCodes.create', { body: { name: 'x', content, remark: HIDDEN[0]! } }))
  expect(data).toMatchObject({ content, remark: HIDDEN[0] })
})
