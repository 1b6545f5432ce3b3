import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { inProcess, type Person, startServer, type TestServer } from '../harness/index.ts'
import { enrol, expectSound, found, look, members, ok, promote } from './helpers.ts'

let server: TestServer
let owner: Person

beforeAll(async () => {
  server = await startServer()
  owner = await server.person('owner')
})
afterAll(() => server.stop())

const join = (who: Person, code: string) => who.post('/api/orgs/join-by-code', { code })
const isMember = async (who: Person, org: { id: number }) =>
  (await who.get(`/api/orgs/${org.id}/qrcode`)).status === 200

describe('by code', () => {
  test('FREE: at once, whatever way the code is typed', async () => {
    const org = await found(owner, { joinPolicy: 'FREE' })
    const person = await server.person()
    const typed = ` ${org.code.slice(0, 4).toLowerCase()}-${org.code.slice(4)} `
    expect(ok(await join(person, typed)).data).toEqual({ status: 'JOINED', orgId: org.id, orgName: org['name'] })
    expect((await look(person, org))['roleName']).toBe('Member')
    expect((await join(person, org.code)).status).toBe(400)
    await expectSound(owner, org)
  })

  test('APPROVAL: a request and no membership until somebody approves', async () => {
    const org = await found(owner)
    const person = await server.person()
    expect(ok(await join(person, org.code)).data.status).toBe('PENDING')
    expect(ok(await join(person, org.code)).data.status).toBe('PENDING')
    expect(await isMember(person, org)).toBe(false)
    const pending = ok(await owner.get(`/api/orgs/${org.id}/pending`)).data
    expect(pending.items.map((p: { userId: number }) => p.userId)).toEqual([person.id])
    ok(await owner.post(`/api/orgs/${org.id}/approve`, { userId: person.id, approve: true }))
    expect(await isMember(person, org)).toBe(true)
    expect(ok(await owner.get(`/api/orgs/${org.id}/pending`)).data.total).toBe(0)
    await expectSound(owner, org)
  })

  test('INVITE and INTERNAL: 403, also with the right code; a wrong code is 404', async () => {
    const person = await server.person()
    for (const fields of [{ joinPolicy: 'INVITE' }, { visibility: 'INTERNAL' }]) {
      const org = await found(owner, fields)
      expect((await join(person, org.code)).status).toBe(403)
      expect(await isMember(person, org)).toBe(false)
    }
    for (const code of ['AAAAAAAA', 'too long to be a code', "'; --", '########'])
      expect((await join(person, code)).status, code).toBe(404)
  })
})

describe('by QR code', () => {
  test('what the organization’s own QR code holds leads in, also its link', async () => {
    const org = await found(owner, { joinPolicy: 'FREE' })
    const { content, imageUrl, publicUrl } = ok(await owner.get(`/api/orgs/${org.id}/qrcode`)).data
    expect(content).toBe(`org-join:${org.code}`)
    const picture = await fetch(imageUrl.replace(/^https?:\/\/[^/]+/, server.url))
    expect(picture.headers.get('content-type')).toBe('image/png')
    const [one, two] = [await server.person(), await server.person()]
    ok(await one.post('/api/orgs/join-by-qrcode', { content }))
    ok(await two.post('/api/orgs/join-by-qrcode', { content: publicUrl }))
    expect((await look(owner, org)).memberCount).toBe(3)
    for (const other of [org.code, `activity:${org.id}`, `https://evil.example/public/orgs/${org.code}`])
      expect((await (await server.person()).post('/api/orgs/join-by-qrcode', { content: other })).status).toBe(404)
  })
})

describe('by application', () => {
  test('FREE joins, APPROVAL asks, INVITE and INTERNAL are 403, none is 404', async () => {
    const person = await server.person()
    const apply = (id: number, body = {}) => person.post(`/api/orgs/${id}/apply`, body)
    const free = await found(owner, { joinPolicy: 'FREE' })
    expect(ok(await apply(free.id)).data.status).toBe('JOINED')
    const approval = await found(owner)
    expect(ok(await apply(approval.id, { message: 'please' })).data.status).toBe('PENDING')
    expect(ok(await owner.get(`/api/orgs/${approval.id}/pending`)).data.items[0].message).toBe('please')
    for (const fields of [{ joinPolicy: 'INVITE' }, { visibility: 'INTERNAL' }])
      expect((await apply((await found(owner, fields)).id)).status).toBe(403)
    expect((await apply(999_999_999)).status).toBe(404)
  })

  test('who is rejected is no member and may ask again', async () => {
    const org = await found(owner)
    const person = await server.person()
    ok(await person.post(`/api/orgs/${org.id}/apply`))
    const decide = (approve: boolean) => owner.post(`/api/orgs/${org.id}/approve`, { userId: person.id, approve })
    ok(await decide(false))
    expect(await isMember(person, org)).toBe(false)
    expect((await decide(true)).status).toBe(404)
    expect(await isMember(person, org)).toBe(false)
    expect(ok(await person.post(`/api/orgs/${org.id}/apply`)).data.status).toBe('PENDING')
  })

  test('approving past the limit is refused and leaves the request', async () => {
    const org = await found(owner, { memberLimit: 1 })
    const person = await server.person()
    ok(await person.post(`/api/orgs/${org.id}/apply`))
    const approve = () => owner.post(`/api/orgs/${org.id}/approve`, { userId: person.id, approve: true })
    expect((await approve()).status).toBe(400)
    expect(ok(await owner.get(`/api/orgs/${org.id}/pending`)).data.total).toBe(1)
    ok(await owner.put(`/api/orgs/${org.id}`, { memberLimit: 2 }))
    ok(await approve())
    await expectSound(owner, org)
  })

  test('members who may not decide see no requests', async () => {
    const org = await found(owner)
    const [member, admin] = [await server.person(), await server.person()]
    await enrol(owner, org, member, admin)
    await promote(owner, org, admin, 'ADMIN')
    expect((await member.get(`/api/orgs/${org.id}/pending`)).status).toBe(403)
    expect((await member.post(`/api/orgs/${org.id}/approve`, { userId: 1, approve: true })).status).toBe(403)
    ok(await admin.get(`/api/orgs/${org.id}/pending`))
  })
})

describe('by invitation', () => {
  test('each target gets its own answer, in every kind of organization', async () => {
    const org = await found(owner, { visibility: 'INTERNAL' })
    const [person, already] = [await server.person(), await server.person()]
    await enrol(owner, org, already)
    const invite = () =>
      owner.post(`/api/orgs/${org.id}/invite`, {
        userIds: [person.id, already.id, 999_999_999],
        emails: ['nobody@example.org'],
        phones: ['13800138000'],
      })
    const { items } = ok(await invite()).data
    expect(items.map((i: { status: string }) => i.status)).toEqual([
      'INVITED',
      'ALREADY_MEMBER',
      'NOT_FOUND',
      'NOT_FOUND',
      'NOT_FOUND',
    ])
    expect(items.map((i: { target: unknown }) => i.target)).toEqual([
      person.id,
      already.id,
      999_999_999,
      'nobody@example.org',
      '13800138000',
    ])
    expect(ok(await invite()).data.items[0].status).toBe('ALREADY_INVITED')
    expect((await owner.post(`/api/orgs/${org.id}/invite`, {})).status).toBe(400)

    const mine = ok(await person.get('/api/orgs/my-invitations')).data
    expect(mine.items).toHaveLength(1)
    expect(mine.items[0]).toMatchObject({ orgId: org.id, orgName: org['name'], inviterId: owner.id, status: 'PENDING' })
    expect(mine.items[0].expiresAt - mine.items[0].createdAt).toBeGreaterThan(6.99 * 86_400_000)
    expect(await isMember(person, org)).toBe(false)

    const [id] = [items[0].invitationId]
    ok(await person.post('/api/orgs/invitation/respond', { invitationId: id, accept: true }))
    expect((await look(person, org))['roleName']).toBe('Member')
    expect(ok(await person.get('/api/orgs/my-invitations')).data.total).toBe(0)
    expect((await person.post('/api/orgs/invitation/respond', { invitationId: id, accept: false })).status).toBe(400)
    expect(await isMember(person, org)).toBe(true)
    await expectSound(owner, org)
  })

  test('by e-mail the person with exactly that address is meant', async () => {
    const org = await found(owner)
    const made = await server.request('POST', '/api/auth/register', {
      headers: { 'x-device-id': `device-${crypto.randomUUID()}` },
      body: { email: 'Mei@Example.org', password: 'a long enough secret' },
    })
    const { items } = ok(
      await owner.post(`/api/orgs/${org.id}/invite`, { emails: ['mei@example.org', 'mei@example.or'] }),
    ).data
    expect(items.map((i: { status: string }) => i.status)).toEqual(['INVITED', 'NOT_FOUND'])
    const list = ok(await owner.get(`/api/orgs/${org.id}/invitations`)).data
    expect(list.items[0].inviteeId).toBe(ok(made).data.user.id)
    expect(JSON.stringify(list).toLowerCase()).not.toContain('mei@example')
  })

  test('only the invitee and who may see invitations see one; only the invitee answers', async () => {
    const org = await found(owner)
    const [person, other, member] = [await server.person(), await server.person(), await server.person()]
    await enrol(owner, org, member)
    const { items } = ok(await owner.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id] })).data
    const id = items[0].invitationId
    ok(await person.get(`/api/orgs/invitation/${id}`))
    ok(await owner.get(`/api/orgs/invitation/${id}`))
    for (const who of [other, member]) {
      expect((await who.get(`/api/orgs/invitation/${id}`)).status).toBe(404)
      expect((await who.post('/api/orgs/invitation/respond', { invitationId: id, accept: true })).status).toBe(404)
    }
    expect((await owner.post('/api/orgs/invitation/respond', { invitationId: id, accept: true })).status).toBe(404)
    expect(ok(await person.get(`/api/orgs/invitation/${id}`)).data.status).toBe('PENDING')
  })

  test('a withdrawn one cannot be accepted, and only a pending one can be withdrawn', async () => {
    const [org, foreign] = [await found(owner), await found(owner)]
    const person = await server.person()
    const { items } = ok(await owner.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id] })).data
    const id = items[0].invitationId
    const cancel = (orgId: number) => owner.post(`/api/orgs/${orgId}/invitations/${id}/cancel`)
    expect((await cancel(foreign.id)).status).toBe(404)
    expect(ok(await cancel(org.id)).data.status).toBe('CANCELLED')
    expect((await cancel(org.id)).status).toBe(400)
    expect((await person.post('/api/orgs/invitation/respond', { invitationId: id, accept: true })).status).toBe(400)
    expect(await isMember(person, org)).toBe(false)
    expect(ok(await owner.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id] })).data.items[0].status).toBe(
      'INVITED',
    )
  })

  test('rejecting makes nobody a member', async () => {
    const org = await found(owner)
    const person = await server.person()
    const { items } = ok(await owner.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id] })).data
    const answer = { invitationId: items[0].invitationId, accept: false }
    expect(ok(await person.post('/api/orgs/invitation/respond', answer)).data.status).toBe('REJECTED')
    expect(await isMember(person, org)).toBe(false)
    expect(ok(await owner.get(`/api/orgs/${org.id}/invitations`, { status: 'REJECTED' })).data.total).toBe(1)
    expect(ok(await owner.get(`/api/orgs/${org.id}/invitations`, { status: 'PENDING' })).data.total).toBe(0)
  })

  test('joining another way settles an open invitation', async () => {
    const org = await found(owner, { joinPolicy: 'FREE' })
    const person = await server.person()
    const { items } = ok(await owner.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id] })).data
    ok(await join(person, org.code))
    expect(ok(await person.get(`/api/orgs/invitation/${items[0].invitationId}`)).data.status).toBe('ACCEPTED')
    expect(ok(await person.get('/api/orgs/my-invitations')).data.total).toBe(0)
  })

  test.if(inProcess)('after seven days it has expired wherever it is read, and another can be sent', async () => {
    const late = await startServer()
    try {
      const [boss, person] = [await late.person(), await late.person()]
      const org = await found(boss)
      const invite = async () =>
        ok(await boss.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id] })).data.items[0]
      const { invitationId } = await invite()
      late.clock.advance(7 * 86_400_000 - 60_000)
      expect(ok(await person.get(`/api/orgs/invitation/${invitationId}`)).data.status).toBe('PENDING')
      late.clock.advance(60_000)
      // The access token is as old as the invitation.
      for (const who of [boss, person]) {
        const { data } = ok(
          await late.request('POST', '/api/auth/refresh', {
            headers: { 'x-device-id': who.deviceId },
            body: { refreshToken: who.refreshToken },
          }),
        )
        who.token = data.accessToken
      }
      expect(ok(await person.get(`/api/orgs/invitation/${invitationId}`)).data.status).toBe('EXPIRED')
      expect(ok(await person.get('/api/orgs/my-invitations')).data.total).toBe(0)
      const list = (status: string) => boss.get(`/api/orgs/${org.id}/invitations`, { status })
      expect(ok(await list('EXPIRED')).data.items[0]).toMatchObject({ id: invitationId, status: 'EXPIRED' })
      expect(ok(await list('PENDING')).data.total).toBe(0)
      expect((await person.post('/api/orgs/invitation/respond', { invitationId, accept: true })).status).toBe(400)
      expect((await boss.post(`/api/orgs/${org.id}/invitations/${invitationId}/cancel`)).status).toBe(400)
      expect((await look(boss, org)).memberCount).toBe(1)
      expect((await invite()).status).toBe('INVITED')
      expect(ok(await list('EXPIRED')).data.total).toBe(1)
    } finally {
      await late.stop()
    }
  })
})

describe('by a link that was sent', () => {
  test('to those who are no members; then the QR code leads in', async () => {
    const org = await found(owner, { joinPolicy: 'FREE' })
    const [person, member] = [await server.person(), await server.person()]
    await enrol(owner, org, member)
    const sent = ok(
      await owner.post(`/api/orgs/${org.id}/share-join-link`, { userIds: [person.id, member.id, 999_999_999] }),
    ).data
    expect(sent.items.map((i: { status: string }) => i.status)).toEqual(['SENT', 'ALREADY_MEMBER', 'NOT_FOUND'])
    ok(await person.post('/api/orgs/join-by-qrcode', { content: sent.content }))
    expect(await isMember(person, org)).toBe(true)
    expect((await member.post(`/api/orgs/${org.id}/share-join-link`, {})).status).toBe(403)
    expect(
      (await owner.post(`/api/orgs/${(await found(owner, { joinPolicy: 'INVITE' })).id}/share-join-link`)).status,
    ).toBe(400)
  })
})

describe('wrong codes', () => {
  test('after 20 in a minute no code of that address is looked at; right ones are never counted', async () => {
    const strict = await startServer({ rateLimit: true })
    try {
      const boss = await strict.person()
      const org = await found(boss, { joinPolicy: 'FREE' })
      const crowd = await Promise.all(Array.from({ length: 25 }, () => strict.person()))
      for (const person of crowd.slice(0, 24)) ok(await join(person, org.code))
      const guesser = crowd[24]!
      for (let i = 0; i < 20; i++) {
        const path = `/api/orgs/public/${'ABCDEFGHJKLMNPQRSTUV'[i]}AAAAAAA`
        const status = i % 2 ? (await join(guesser, path.slice(-8))).status : (await strict.request('GET', path)).status
        expect(status).toBe(404)
      }
      for (const refused of [
        await join(guesser, org.code),
        await guesser.post('/api/orgs/join-by-qrcode', { content: `org-join:${org.code}` }),
        await strict.request('GET', `/api/orgs/public/${org.code}`),
        await strict.request('GET', `/public/orgs/${org.code}`, { headers: { accept: 'application/json' } }),
      ]) {
        expect(refused.status).toBe(429)
        expect(refused.code).toBe(4022)
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      expect((await members(boss, org)).some((m) => m.userId === guesser.id)).toBe(false)
      if (!inProcess) return
      strict.clock.advance(60_000)
      ok(await join(guesser, org.code))
    } finally {
      await strict.stop()
    }
  })
})
