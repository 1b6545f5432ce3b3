/** The parts of a domain record work together: events inside the write, contributions, start and stop. */

import { describe, expect, test } from 'bun:test'

import { domain } from '#domains/domain.ts'
import { badRequest } from '#http/errors.ts'

import { inProcess, ok, startServer, useServer } from '../harness/index.ts'

describe.if(inProcess)('an event', () => {
  let refusing = true
  const heard: number[] = []
  const committed: number[] = []
  const auditing = domain({
    name: 'auditing',
    on: {
      'user.deleting': (_ctx, tx, { userId }) => {
        heard.push(userId)
        tx.afterCommit(() => committed.push(userId))
        if (refusing) throw badRequest('This account is needed', '需要此账号')
      },
    },
  })
  const { alice } = useServer({ people: ['alice'], domains: (product) => [...product, auditing] })

  test('is refused by a listener that throws, and then nothing of the write remains', async () => {
    const refused = await alice.call('auth.deleteAccount')
    expect([refused.status, refused.message]).toEqual([400, 'This account is needed'])
    expect(heard).toEqual([alice.id])
    expect(committed).toEqual([])
    expect(ok(await alice.call('profile.get')).data.username).toBe('alice')
  })

  test('reaches listeners inside the write, and their effects run after the commit', async () => {
    refusing = false
    ok(await alice.call('auth.deleteAccount'))
    expect(committed).toEqual([alice.id])
    expect((await alice.call('profile.get')).status).toBe(401)
  })
})

describe.if(inProcess)('the events of the product', () => {
  const heard: unknown[] = []
  const listening = domain({
    name: 'listening',
    on: {
      'session.ended': (_ctx, tx, event) => tx.afterCommit(() => heard.push(event)),
      'member.joined': (_ctx, tx, event) => tx.afterCommit(() => heard.push({ joined: event })),
      'member.left': (_ctx, tx, event) => tx.afterCommit(() => heard.push(event)),
      'org.dissolving': (_ctx, tx, event) => tx.afterCommit(() => heard.push(event)),
    },
  })
  const { server, alice, bob } = useServer({ people: ['alice', 'bob'], domains: (product) => [...product, listening] })

  test('session.ended is emitted when a user signs out, and when a new session replaces the one of the device', async () => {
    const carol = await server.person()
    heard.length = 0
    const body = { account: carol.username, password: carol.password }
    ok(await server.request('POST', '/api/auth/login', { headers: { 'x-device-id': carol.deviceId }, body }))
    expect(heard).toEqual([{ sessionIds: [carol.sessionId], reason: 'REVOKED' }])
    heard.length = 0
    ok(await alice.call('auth.logout'))
    expect(heard).toEqual([{ sessionIds: [alice.sessionId], reason: 'LOGOUT' }])
  })

  test('session.ended has the reason PASSWORD_CHANGED after a new password, and DELETED after the deletion of the account', async () => {
    const erin = await server.person()
    heard.length = 0
    const body = { verifyType: 'OLD_PASSWORD', oldPassword: erin.password, newPassword: 'Another-Secret-9' } as const
    ok(await erin.call('auth.changePassword', { body }))
    expect(heard).toEqual([{ sessionIds: [erin.sessionId], reason: 'PASSWORD_CHANGED' }])
    heard.length = 0
    const frank = await server.person()
    ok(await frank.call('auth.deleteAccount'))
    expect(heard).toEqual([{ sessionIds: [frank.sessionId], reason: 'DELETED' }])
  })

  test('member.joined is emitted for the founder of an organization and for each member who joins later', async () => {
    const erin = await server.person()
    heard.length = 0
    const org = ok(await bob.call('orgs.create', { body: { name: 'Sailors', joinPolicy: 'FREE' } })).data
    ok(await erin.call('orgs.joinByCode', { body: { code: org.code } }))
    expect((await erin.call('orgs.joinByCode', { body: { code: org.code } })).status).toBe(400)
    expect(heard).toEqual([
      { joined: { orgId: org.id, userId: bob.id } },
      { joined: { orgId: org.id, userId: erin.id } },
    ])
  })

  test('member.left is emitted when a member leaves, and org.dissolving before an organization is deleted', async () => {
    const dave = await server.person()
    const org = ok(await bob.call('orgs.create', { body: { name: 'Climbers', joinPolicy: 'FREE' } })).data
    ok(await dave.call('orgs.joinByCode', { body: { code: org.code } }))
    heard.length = 0
    ok(await dave.call('orgs.leave', { params: { id: org.id } }))
    ok(await bob.call('orgs.dissolve', { params: { id: org.id } }))
    expect(heard).toEqual([{ orgId: org.id, userId: dave.id }, { orgId: org.id }])
  })
})

describe.if(inProcess)('a contributed landing page', () => {
  const passes = domain({
    name: 'passes',
    landingPages: {
      pass: async (_ctx, { id, caller }) =>
        id === 'known'
          ? new Response(`pass, ${caller.locale}`, { headers: { 'content-type': 'text/html' } })
          : undefined,
    },
  })
  // Before the product, whose own page of passes would answer otherwise: the first page of a type is taken.
  const { server } = useServer({ domains: (product) => [passes, ...product] })

  test('answers its type of /s/{type}/{id}', async () => {
    const page = await server.request('GET', '/s/pass/known', { headers: { 'accept-language': 'zh' } })
    expect([page.status, page.text]).toEqual([200, 'pass, zh'])
  })

  test('is 404 for unknown ids and for types that no domain serves, as a page or as JSON', async () => {
    for (const path of ['/s/pass/other', '/s/activity/known', '/s/toString/known', '/s/constructor/known']) {
      expect((await server.request('GET', path)).headers.get('content-type'), path).toContain('text/html')
      const json = await server.request('GET', path, { headers: { accept: 'application/json' } })
      expect([json.status, json.code], path).toEqual([404, 404])
    }
  })
})

test.if(inProcess)(
  'domains start in the order of the list, before the server answers, and stop in reverse',
  async () => {
    const steps: string[] = []
    const recording = (name: string) =>
      domain({
        name,
        seed: async () => void steps.push(`${name} seeds`),
        start: async () => void steps.push(`${name} starts`),
        stop: async () => void steps.push(`${name} stops`),
      })
    const server = await startServer({ domains: (product) => [...product, recording('first'), recording('second')] })
    await server.stop()
    expect(steps).toEqual([
      'first seeds',
      'second seeds',
      'first starts',
      'second starts',
      'second stops',
      'first stops',
    ])
  },
)
