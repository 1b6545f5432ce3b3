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
