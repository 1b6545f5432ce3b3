import { describe, expect, test } from 'bun:test'

import { inProcess, type Person, startServer, useServer } from '../harness/index.ts'
import {
  addMembers,
  apply,
  createOrg,
  expectConsistent,
  getOrg,
  invite,
  joinByCode,
  listMembers,
  listRequests,
  ok,
  respond,
  setRole,
  UNKNOWN_ID,
} from './helpers.ts'

const DAY = 86_400_000

const { server, owner } = useServer({ people: ['owner'] })

const joinByQrCode = (user: Person, content: string) => user.call('orgs.joinByQrCode', { body: { content } })
const isMember = async (user: Person, org: { id: number }) =>
  (await user.get(`/api/orgs/${org.id}/qrcode`)).status === 200
const decide = (approver: Person, org: { id: number }, user: { id: number }, approve: boolean) =>
  approver.call('orgs.approve', { params: { id: org.id }, body: { userId: user.id, approve } })
const cancel = (user: Person, org: { id: number }, invitationId: number) =>
  user.call('orgs.cancelInvitation', { params: { id: org.id, invitationId } })
const getInvitation = (user: Person, invitationId: number) => user.call('orgs.invitation', { params: { invitationId } })
const invitationsOf = async (user: Person) => ok(await user.call('orgs.myInvitations')).data

describe('joining by code', () => {
  test('a FREE organization is joined at once, and case, spaces and dashes in the code are ignored', async () => {
    const org = await createOrg(owner, { joinPolicy: 'FREE' })
    const person = await server.person()
    const typed = ` ${org.code.slice(0, 4).toLowerCase()}-${org.code.slice(4)} `
    expect(ok(await joinByCode(person, typed)).data).toEqual({ status: 'JOINED', orgId: org.id, orgName: org.name })
    expect((await getOrg(person, org)).roleName).toBe('Member')
    expect((await joinByCode(person, org.code)).status).toBe(400)
    await expectConsistent(owner, org)
  })

  test('joining an APPROVAL organization makes one request, and a member only once it is approved', async () => {
    const org = await createOrg(owner)
    const person = await server.person()
    expect(ok(await joinByCode(person, org.code)).data.status).toBe('PENDING')
    expect(ok(await joinByCode(person, org.code)).data.status).toBe('PENDING')
    expect(await isMember(person, org)).toBe(false)
    expect((await listRequests(owner, org)).items.map((request) => request.userId)).toEqual([person.id])
    ok(await decide(owner, org, person, true))
    expect(await isMember(person, org)).toBe(true)
    expect((await listRequests(owner, org)).total).toBe(0)
    await expectConsistent(owner, org)
  })

  test('joining by code answers 403 for INVITE and INTERNAL organizations, and 404 for a wrong code', async () => {
    const person = await server.person()
    for (const fields of [{ joinPolicy: 'INVITE' }, { visibility: 'INTERNAL' }] as const) {
      const org = await createOrg(owner, fields)
      expect((await joinByCode(person, org.code)).status).toBe(403)
      expect(await isMember(person, org)).toBe(false)
    }
    for (const code of ['AAAAAAAA', 'too long to be a code', "'; --", '########'])
      expect((await joinByCode(person, code)).status, code).toBe(404)
  })
})

test('the content of an organization’s QR code and its public link both let users join, other contents do not', async () => {
  const org = await createOrg(owner, { joinPolicy: 'FREE' })
  const { content, imageUrl, publicUrl } = ok(await owner.call('orgs.qrcode', { params: { id: org.id } })).data
  expect(content).toBe(`org-join:${org.code}`)
  const picture = await fetch(imageUrl.replace(/^https?:\/\/[^/]+/, server.url))
  expect(picture.headers.get('content-type')).toBe('image/png')
  ok(await joinByQrCode(await server.person(), content))
  ok(await joinByQrCode(await server.person(), publicUrl))
  expect((await getOrg(owner, org)).memberCount).toBe(3)
  for (const other of [org.code, `activity:${org.id}`, `https://evil.example/public/orgs/${org.code}`])
    expect((await joinByQrCode(await server.person(), other)).status, other).toBe(404)
})

describe('joining by application', () => {
  test('POST /orgs/:id/apply joins FREE, requests APPROVAL, and answers 403 for INVITE and INTERNAL, 404 for unknown', async () => {
    const person = await server.person()
    const free = await createOrg(owner, { joinPolicy: 'FREE' })
    expect(ok(await apply(person, free)).data.status).toBe('JOINED')
    const approval = await createOrg(owner)
    expect(ok(await apply(person, approval, 'please')).data.status).toBe('PENDING')
    expect((await listRequests(owner, approval)).items[0]!.message).toBe('please')
    for (const fields of [{ joinPolicy: 'INVITE' }, { visibility: 'INTERNAL' }] as const)
      expect((await apply(person, await createOrg(owner, fields))).status).toBe(403)
    expect((await apply(person, { id: UNKNOWN_ID })).status).toBe(404)
  })

  test('a rejected applicant is not a member and may apply again', async () => {
    const org = await createOrg(owner)
    const person = await server.person()
    ok(await apply(person, org))
    ok(await decide(owner, org, person, false))
    expect(await isMember(person, org)).toBe(false)
    expect((await decide(owner, org, person, true)).status).toBe(404)
    expect(await isMember(person, org)).toBe(false)
    expect(ok(await apply(person, org)).data.status).toBe('PENDING')
  })

  test('approving a request past the member limit answers 400 and keeps the request', async () => {
    const org = await createOrg(owner, { memberLimit: 1 })
    const person = await server.person()
    ok(await apply(person, org))
    expect((await decide(owner, org, person, true)).status).toBe(400)
    expect((await listRequests(owner, org)).total).toBe(1)
    ok(await owner.call('orgs.update', { params: { id: org.id }, body: { memberLimit: 2 } }))
    ok(await decide(owner, org, person, true))
    await expectConsistent(owner, org)
  })

  test('members without the permission can neither list nor decide join requests', async () => {
    const org = await createOrg(owner)
    const [member, deputy] = [await server.person(), await server.person()]
    await addMembers(owner, org, member, deputy)
    await setRole(owner, org, deputy, 'ADMIN')
    expect((await member.get(`/api/orgs/${org.id}/pending`)).status).toBe(403)
    expect((await decide(member, org, { id: 1 }, true)).status).toBe(403)
    await listRequests(deputy, org)
  })
})

describe('joining by invitation', () => {
  test('POST /orgs/:id/invite answers each target separately, and the invitee becomes a member by accepting', async () => {
    const org = await createOrg(owner, { visibility: 'INTERNAL' })
    const [person, already] = [await server.person(), await server.person()]
    await addMembers(owner, org, already)
    const inviteAll = async () =>
      ok(
        await owner.call('orgs.invite', {
          params: { id: org.id },
          body: {
            userIds: [person.id, already.id, UNKNOWN_ID],
            emails: ['nobody@example.org'],
            phones: ['13800138000'],
          },
        }),
      ).data.items
    const items = await inviteAll()
    expect(items.map((item) => item.status)).toEqual([
      'INVITED',
      'ALREADY_MEMBER',
      'NOT_FOUND',
      'NOT_FOUND',
      'NOT_FOUND',
    ])
    expect(items.map((item) => item.target)).toEqual([
      person.id,
      already.id,
      UNKNOWN_ID,
      'nobody@example.org',
      '13800138000',
    ])
    expect((await inviteAll())[0]!.status).toBe('ALREADY_INVITED')
    expect((await owner.post(`/api/orgs/${org.id}/invite`, {})).status).toBe(400)

    const mine = await invitationsOf(person)
    expect(mine.items).toHaveLength(1)
    expect(mine.items[0]).toMatchObject({ orgId: org.id, orgName: org.name, inviterId: owner.id, status: 'PENDING' })
    expect(mine.items[0]!.expiresAt - mine.items[0]!.createdAt).toBeGreaterThan(6.99 * DAY)
    expect(await isMember(person, org)).toBe(false)

    const id = items[0]!.invitationId!
    ok(await respond(person, id, true))
    expect((await getOrg(person, org)).roleName).toBe('Member')
    expect((await invitationsOf(person)).total).toBe(0)
    expect((await respond(person, id, false)).status).toBe(400)
    expect(await isMember(person, org)).toBe(true)
    await expectConsistent(owner, org)
  })

  test('only the invitee and members with invitation:read see an invitation, and only the invitee can answer it', async () => {
    const org = await createOrg(owner)
    const [person, other, member] = [await server.person(), await server.person(), await server.person()]
    await addMembers(owner, org, member)
    const [item] = await invite(owner, org, person)
    const id = item!.invitationId!
    ok(await getInvitation(person, id))
    ok(await getInvitation(owner, id))
    for (const user of [other, member]) {
      expect((await getInvitation(user, id)).status).toBe(404)
      expect((await respond(user, id, true)).status).toBe(404)
    }
    expect((await respond(owner, id, true)).status).toBe(404)
    expect(ok(await getInvitation(person, id)).data.status).toBe('PENDING')
  })

  test('a withdrawn invitation cannot be accepted, and only a pending one of this organization can be withdrawn', async () => {
    const [org, foreign] = [await createOrg(owner), await createOrg(owner)]
    const person = await server.person()
    const [item] = await invite(owner, org, person)
    const id = item!.invitationId!
    expect((await cancel(owner, foreign, id)).status).toBe(404)
    expect(ok(await cancel(owner, org, id)).data.status).toBe('CANCELLED')
    expect((await cancel(owner, org, id)).status).toBe(400)
    expect((await respond(person, id, true)).status).toBe(400)
    expect(await isMember(person, org)).toBe(false)
    expect((await invite(owner, org, person))[0]!.status).toBe('INVITED')
  })

  test('a user who rejects an invitation does not become a member', async () => {
    const org = await createOrg(owner)
    const person = await server.person()
    const [item] = await invite(owner, org, person)
    expect(ok(await respond(person, item!.invitationId!, false)).data.status).toBe('REJECTED')
    expect(await isMember(person, org)).toBe(false)
    const total = async (status: 'REJECTED' | 'PENDING') =>
      ok(await owner.call('orgs.invitations', { params: { id: org.id }, query: { status } })).data.total
    expect(await total('REJECTED')).toBe(1)
    expect(await total('PENDING')).toBe(0)
  })

  test('joining in another way marks an open invitation as accepted', async () => {
    const org = await createOrg(owner, { joinPolicy: 'FREE' })
    const person = await server.person()
    const [item] = await invite(owner, org, person)
    ok(await joinByCode(person, org.code))
    expect(ok(await getInvitation(person, item!.invitationId!)).data.status).toBe('ACCEPTED')
    expect((await invitationsOf(person)).total).toBe(0)
  })

  test.if(inProcess)(
    'an invitation is EXPIRED after seven days in every answer, and a new one can be sent',
    async () => {
      await using late = await startServer()
      const [boss, person] = [await late.person(), await late.person()]
      const org = await createOrg(boss)
      const [first] = await invite(boss, org, person)
      const invitationId = first!.invitationId!
      late.clock.advance(7 * DAY - 60_000)
      expect(ok(await getInvitation(person, invitationId)).data.status).toBe('PENDING')
      late.clock.advance(60_000)
      // The access tokens are as old as the invitation and have expired, too.
      for (const user of [boss, person]) {
        const { data } = ok(
          await late.request('POST', '/api/auth/refresh', {
            headers: { 'x-device-id': user.deviceId },
            body: { refreshToken: user.refreshToken },
          }),
        )
        user.token = data.accessToken
      }
      expect(ok(await getInvitation(person, invitationId)).data.status).toBe('EXPIRED')
      expect((await invitationsOf(person)).total).toBe(0)
      const list = async (status: 'EXPIRED' | 'PENDING') =>
        ok(await boss.call('orgs.invitations', { params: { id: org.id }, query: { status } })).data
      expect((await list('EXPIRED')).items[0]).toMatchObject({ id: invitationId, status: 'EXPIRED' })
      expect((await list('PENDING')).total).toBe(0)
      expect((await respond(person, invitationId, true)).status).toBe(400)
      expect((await cancel(boss, org, invitationId)).status).toBe(400)
      expect((await getOrg(boss, org)).memberCount).toBe(1)
      expect((await invite(boss, org, person))[0]!.status).toBe('INVITED')
      expect((await list('EXPIRED')).total).toBe(1)
    },
  )
})

test('POST /orgs/:id/share-join-link sends the link to non-members only, and its content lets them join', async () => {
  const org = await createOrg(owner, { joinPolicy: 'FREE' })
  const [person, member] = [await server.person(), await server.person()]
  await addMembers(owner, org, member)
  const shareLink = (user: Person, where: { id: number }, userIds: number[] = []) =>
    user.call('orgs.shareJoinLink', { params: { id: where.id }, body: { userIds } })
  const sent = ok(await shareLink(owner, org, [person.id, member.id, UNKNOWN_ID])).data
  expect(sent.items.map((item) => item.status)).toEqual(['SENT', 'ALREADY_MEMBER', 'NOT_FOUND'])
  ok(await joinByQrCode(person, sent.content))
  expect(await isMember(person, org)).toBe(true)
  expect((await shareLink(member, org)).status).toBe(403)
  expect((await shareLink(owner, await createOrg(owner, { joinPolicy: 'INVITE' }))).status).toBe(400)
})

test('after 20 wrong codes in a minute every code from that address gets 4022, but correct codes are not counted', async () => {
  await using strict = await startServer({ rateLimit: true, settings: { 'budget.accountsPerAddress': 0 } })
  const boss = await strict.person()
  const org = await createOrg(boss, { joinPolicy: 'FREE' })
  const crowd = await Promise.all(Array.from({ length: 25 }, () => strict.person()))
  for (const person of crowd.slice(0, 24)) ok(await joinByCode(person, org.code))
  const guesser = crowd[24]!
  for (let i = 0; i < 20; i++) {
    const code = `${'ABCDEFGHJKLMNPQRSTUV'[i]}AAAAAAA`
    const reply = i % 2 ? await joinByCode(guesser, code) : await strict.call('orgs.public', { params: { code } })
    expect(reply.status).toBe(404)
  }
  for (const refused of [
    await joinByCode(guesser, org.code),
    await joinByQrCode(guesser, `org-join:${org.code}`),
    await strict.request('GET', `/api/orgs/public/${org.code}`),
    await strict.request('GET', `/public/orgs/${org.code}`, { headers: { accept: 'application/json' } }),
  ]) {
    expect(refused.status).toBe(429)
    expect(refused.code).toBe(4022)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect((await listMembers(boss, org)).items.some((m) => m.userId === guesser.id)).toBe(false)
  if (!inProcess) return
  strict.clock.advance(60_000)
  ok(await joinByCode(guesser, org.code))
})
