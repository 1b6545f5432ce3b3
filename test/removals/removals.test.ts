/**
 * Organizations and users of which much remains when they are deleted: nobody finds them from the moment of the answer, although their rows are deleted later,
 * in small writes that may end at any moment.
 */

import { afterEach, describe, expect, test } from 'bun:test'

import { and, eq, inArray, ne, or } from 'drizzle-orm'

import { roles, userRoles } from '#db/schema/access.ts'
import { users } from '#db/schema/accounts.ts'
import { activities } from '#db/schema/activities.ts'
import { assetCalendars } from '#db/schema/assets.ts'
import { conversationMembers, conversations } from '#db/schema/chat.ts'
import { contacts } from '#db/schema/contacts.ts'
import { blobs, files } from '#db/schema/files.ts'
import { notifications, notificationSendRecipients, notificationSends } from '#db/schema/notifications.ts'
import { orgInvitations, orgJoinRequests, orgMembers } from '#db/schema/orgs.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import { removals } from '#db/schema/removals.ts'
import {
  supplies,
  supplyImports,
  supplyImportSnapshots,
  supplyLoans,
  supplyMovements,
  supplyNumbers,
  supplyPlaces,
} from '#db/schema/supplies.ts'
import { domain } from '#domains/domain.ts'
import { removeAll } from '#domains/removals/removals.service.ts'

import { createActivity } from '../activities/helpers.ts'
import { connect, makeGroup } from '../chat/helpers.ts'
import { png, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, until, useServer } from '../harness/index.ts'
import {
  addMembers,
  apply,
  createOrg,
  currentOrgId,
  invite,
  joinByCode,
  leave,
  respond,
  setRole,
  switchTo,
} from '../orgs/helpers.ts'

/** How many writes of the removal still succeed before the server "is killed"; Infinity: all. */
let writesLeft = Infinity
/** The write that deletes the owner removes nothing. */
let isMuch = false

/** Runs before the contributions of the product, because the last domain comes first. */
const killer = domain({
  name: 'killer',
  async remains(_ctx, _tx, _owner, limit) {
    if (isMuch) {
      isMuch = false
      return limit
    }
    if (writesLeft-- <= 0) throw new Error('the server was killed')
    return 0
  },
})

afterEach(() => {
  writesLeft = Infinity
  isMuch = false
})

/** Calls `remove`, and leaves everything that remains of the owner in the database. */
async function leaving<T>(remove: () => Promise<T>): Promise<T> {
  isMuch = true
  writesLeft = 0
  return remove()
}

describe.if(inProcess)('removals', () => {
  const { server, owner, member, other } = useServer({
    people: ['owner', 'member', 'other'],
    ...(inProcess && { domains: (product) => [...product, killer] }),
  })
  const read = () => server.ctx.db.read
  const dissolve = (id: number) => owner.call('orgs.dissolve', { params: { id }, query: { force: true } })
  const deleteAccount = (person: Person) => person.call('auth.deleteAccount')
  const write = (from: Person, target: object) =>
    from.post('/api/chats/messages', {
      clientMsgId: crypto.randomUUID(),
      type: 'TEXT',
      content: { text: 'hi' },
      ...target,
    })

  /** Goes on as the next start of the server does. */
  async function goOn(): Promise<void> {
    writesLeft = Infinity
    // The run that the deletion started may be about to fail.
    await removeAll(server.ctx).catch(() => undefined)
    await removeAll(server.ctx)
  }

  async function rowsOfOrg(orgId: number) {
    const n = async (rows: Promise<unknown[]>) => (await rows).length
    const bound = read()
      .select({ id: userRoles.roleId })
      .from(userRoles)
      .leftJoin(roles, eq(roles.id, userRoles.roleId))
    return {
      members: await n(read().select().from(orgMembers).where(eq(orgMembers.orgId, orgId))),
      requests: await n(read().select().from(orgJoinRequests).where(eq(orgJoinRequests.orgId, orgId))),
      invitations: await n(read().select().from(orgInvitations).where(eq(orgInvitations.orgId, orgId))),
      codes: await n(read().select().from(qrCodes).where(eq(qrCodes.orgId, orgId))),
      calendars: await n(read().select().from(assetCalendars).where(eq(assetCalendars.owner, orgId))),
      groups: await n(read().select().from(conversations).where(eq(conversations.orgId, orgId))),
      current: await n(read().select().from(users).where(eq(users.currentOrgId, orgId))),
      unbound: (await bound).filter((row) => row.id === null).length,
      removals: await n(read().select().from(removals).where(eq(removals.owner, orgId))),
    }
  }
  const NOTHING = {
    members: 0,
    requests: 0,
    invitations: 0,
    codes: 0,
    calendars: 0,
    groups: 0,
    current: 0,
    unbound: 0,
    removals: 0,
  }

  /** An organization with something of everything that is deleted later. */
  async function fill() {
    const org = await createOrg(owner, { visibility: 'PUBLIC', joinPolicy: 'APPROVAL' })
    await addMembers(owner, org, member)
    ok(await switchTo(member, org))
    const [applicant, invitee] = [await server.person(), await server.person()]
    ok(await apply(applicant, org))
    const invitationId = (await invite(owner, org, invitee))[0]!.invitationId!
    const code = ok(await owner.post('/api/qr-codes', { name: 'sign', content: 'x', orgId: org.id })).data
    ok(await owner.delete(`/api/qr-codes/${code.id}?orgId=${org.id}`))
    const calendar = ok(await member.call('assetCalendars.create', { query: { orgId: org.id }, body: {} })).data
    const group = ok(await owner.post('/api/chats/groups', { name: 'Team', orgId: org.id, followsOrg: true })).data
    return { org, applicant, invitee, invitationId, calendar, group }
  }

  test('nobody finds a dissolved organization of which everything remains', async () => {
    const { org, applicant, invitee, invitationId, calendar, group } = await fill()
    ok(await leaving(() => dissolve(org.id)))
    expect(await rowsOfOrg(org.id)).toMatchObject({
      members: 2,
      requests: 1,
      invitations: 2,
      codes: 1,
      groups: 1,
      removals: 1,
    })

    expect((await owner.get(`/api/orgs/${org.id}`)).status).toBe(404)
    expect((await dissolve(org.id)).status).toBe(403)
    for (const user of [owner, member])
      expect(ok(await user.get('/api/orgs')).data.items.map((item: { id: number }) => item.id)).not.toContain(org.id)
    expect(ok(await member.get('/api/orgs')).data.total).toBe(0)
    expect(await currentOrgId(member)).toBeNull()
    expect(ok(await member.get('/api/rbac/my-permissions')).data).toMatchObject({ orgId: null, org: [] })
    expect((await member.get(`/api/orgs/${org.id}/members`)).status).toBe(403)
    expect((await switchTo(member, org)).status).toBe(403)
    expect((await leave(member, org)).status).toBe(404)
    for (const user of [member, other]) expect((await joinByCode(user, org.code)).status).toBe(404)
    expect(ok(await applicant.get('/api/orgs/my-join-requests')).data).toMatchObject({ items: [], total: 0 })
    expect((await applicant.delete(`/api/orgs/${org.id}/apply`)).status).toBe(404)
    expect(ok(await invitee.get('/api/orgs/my-invitations')).data).toMatchObject({ items: [], total: 0 })
    for (const accepts of [true, false]) expect((await respond(invitee, invitationId, accepts)).status).toBe(404)
    expect((await server.request('GET', new URL(calendar.url).pathname)).status).toBe(404)

    expect(await write(member, { conversationId: group.id })).toMatchObject({ status: 403, code: 4015 })
    expect((await owner.put(`/api/chats/groups/${group.id}`, { name: 'Gone' })).code).toBe(4015)
    expect(ok(await member.get(`/api/chats/conversations/${group.id}`)).data.group).toMatchObject({
      role: null,
      memberCount: 0,
      orgId: null,
    })
    const admin = await server.admin()
    expect(ok(await admin.get('/api/admin/users', { orgId: org.id })).data.total).toBe(0)
    expect(ok(await admin.get(`/api/admin/users/${member.id}/memberships`)).data).toMatchObject({ items: [], total: 0 })

    await goOn()
    expect(await rowsOfOrg(org.id)).toEqual(NOTHING)
    expect((await write(member, { conversationId: group.id })).code).toBe(4015)
    const events = ok(await member.get(`/api/chats/conversations/${group.id}/messages`)).data.items
    expect(events[0].content.event).toBe('GROUP_ENDED')
  })

  test('members are notified once, and the sender is not, although the removal is killed after each of its writes', async () => {
    const { org } = await fill()
    const people = await server.ctx.db.write('test', async (tx) => {
      const rows = Array.from({ length: 700 }, () => ({ nickname: 'Many', createdAt: tx.stamp, updatedAt: tx.stamp }))
      const made = await tx.insert(users).values(rows).returning({ id: users.id })
      await tx.insert(orgMembers).values(made.map(({ id }) => ({ orgId: org.id, userId: id, joinedAt: tx.stamp })))
      return made.map(({ id }) => id)
    })
    ok(await leaving(() => dissolve(org.id)))
    let kills = 0
    while ((await rowsOfOrg(org.id)).removals > 0) {
      writesLeft = 1
      await removeAll(server.ctx).catch(() => kills++)
    }
    expect(kills).toBeGreaterThan(1)
    expect(await rowsOfOrg(org.id)).toEqual(NOTHING)
    writesLeft = Infinity
    await until(async () => (await read().select().from(notificationSends)).length === 0)
    expect(await read().select().from(notificationSendRecipients)).toEqual([])
    const told = await read().select().from(notifications).where(eq(notifications.type, 'ORG_DISSOLVED'))
    for (const id of [member.id, people[0]!, people[699]!])
      expect(told.filter(({ userId }) => userId === id).length).toBeGreaterThanOrEqual(1)
    for (const id of people) expect(told.filter(({ userId }) => userId === id)).toHaveLength(1)
    expect(told.filter(({ userId }) => userId === owner.id)).toEqual([])
  })

  test('members of a dissolved organization no longer know each other, and can delete their accounts', async () => {
    const [org, one, two] = [await createOrg(owner), await server.person(), await server.person()]
    await addMembers(owner, org, one, two)
    expect((await write(one, { toUserId: two.id })).code).toBe(4011)
    ok(await leaving(() => dissolve(org.id)))
    expect((await write(one, { toUserId: two.id })).status).toBe(404)
    isMuch = false
    writesLeft = 1
    ok(await deleteAccount(one))
    await goOn()
    expect(await rowsOfOrg(org.id)).toEqual(NOTHING)
  })

  test('of 10 dissolutions at once one succeeds, while an earlier removal goes on', async () => {
    const [first, second] = [await fill(), await fill()]
    ok(await leaving(() => dissolve(first.org.id)))
    const going = goOn()
    const replies = await race(10, () => dissolve(second.org.id))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.every(({ status }) => [200, 403, 404].includes(status))).toBe(true)
    await going
    await goOn()
    for (const { org } of [first, second]) expect(await rowsOfOrg(org.id)).toEqual(NOTHING)
  })

  test('nobody finds a deleted user of whom everything remains', async () => {
    const [user, friend] = [await server.person(), await server.person()]
    await connect(server, user, friend)
    const group = await makeGroup(server, [user, friend])
    ok(await write(friend, { toUserId: user.id }))
    ok(await leaving(() => deleteAccount(user)))
    expect((await user.get('/api/auth/userinfo')).status).toBe(401)
    expect((await write(friend, { toUserId: user.id })).code).toBe(4015)
    expect(ok(await friend.get('/api/contacts')).data).toMatchObject({ items: [], total: 0 })
    const own = () =>
      Promise.all([
        read()
          .select()
          .from(contacts)
          .where(or(eq(contacts.userId, user.id), eq(contacts.otherId, user.id))),
        read().select().from(conversationMembers).where(eq(conversationMembers.userId, user.id)),
        read().select().from(removals).where(eq(removals.owner, -user.id)),
      ])
    expect((await own()).map((rows) => rows.length)).toEqual([1, 2, 1])
    await goOn()
    expect((await own()).map((rows) => rows.length)).toEqual([0, 0, 0])
    const [heir] = await read()
      .select()
      .from(conversationMembers)
      .where(and(eq(conversationMembers.conversationId, group), eq(conversationMembers.userId, friend.id)))
    expect(heir!.role).toBe('OWNER')
    expect((await write(friend, { toUserId: user.id })).code).toBe(4015)
  })

  test('unused files and activities of a deleted user end in several writes', async () => {
    const user = await server.person()
    const avatar = await uploaded(user, png(), { type: 'avatar' }, 'me.png')
    ok(await user.put('/api/auth/userinfo', { avatarFileId: avatar.id }))
    await createActivity(user)
    const active = await createActivity(user, { status: 'ACTIVE' })
    const { id: _, ...like } = (await read().select().from(activities).where(eq(activities.id, active.id)))[0]!
    await server.ctx.db.write('test.insert', async (tx) => {
      for (let nth = 0; nth < 150; nth++) {
        const [uuid, checkInUuid] = [crypto.randomUUID(), crypto.randomUUID()]
        await tx
          .insert(activities)
          .values({ ...like, uuid, checkInUuid, inviteCode: `invite${nth}` })
          .returning({ id: activities.id })
        const bytes = { sha256: uuid, key: uuid, size: 1, refs: 1, createdAt: 0 }
        const [blob] = await tx.insert(blobs).values(bytes).returning({ id: blobs.id })
        await tx
          .insert(files)
          .values({
            uploaderId: user.id,
            type: 'other',
            name: 'x',
            mime: 'x/x',
            size: 1,
            blobId: blob!.id,
            createdAt: 0,
          })
          .returning({ id: files.id })
      }
    })
    const left = async () => {
      const mine = eq(activities.userId, user.id)
      return {
        active: (
          await read()
            .select()
            .from(activities)
            .where(and(mine, eq(activities.status, 'ACTIVE')))
        ).length,
        drafts: (
          await read()
            .select()
            .from(activities)
            .where(and(mine, eq(activities.status, 'DRAFT')))
        ).length,
        files: (await read().select().from(files).where(eq(files.uploaderId, user.id))).length,
        avatars: (await read().select().from(files).where(eq(files.id, avatar.id))).length,
      }
    }
    expect(await left()).toEqual({ active: 151, drafts: 1, files: 151, avatars: 1 })
    writesLeft = 1
    ok(await deleteAccount(user))
    expect(await left()).toEqual({ active: 51, drafts: 1, files: 150, avatars: 0 })
    await goOn()
    expect(await left()).toEqual({ active: 0, drafts: 1, files: 0, avatars: 0 })
  })

  /** Rows of supplies of the owner, and movements of others that name the user. */
  async function suppliesLeft(owner: number, userId: number) {
    const n = async (rows: Promise<unknown[]>) => (await rows).length
    const ids = read().select({ id: supplies.id }).from(supplies).where(eq(supplies.owner, owner))
    const ofOperator = and(
      eq(supplyMovements.operatorId, userId),
      ne(supplyMovements.operatorName, ''),
      ne(supplyMovements.owner, owner),
    )
    const ofImports = read().select({ id: supplyImports.id }).from(supplyImports).where(eq(supplyImports.owner, owner))
    return {
      supplies: await n(ids),
      movements: await n(read().select().from(supplyMovements).where(eq(supplyMovements.owner, owner))),
      places: await n(read().select().from(supplyPlaces).where(inArray(supplyPlaces.supplyId, ids))),
      loans: await n(read().select().from(supplyLoans).where(inArray(supplyLoans.supplyId, ids))),
      numbers: await n(read().select().from(supplyNumbers).where(eq(supplyNumbers.owner, owner))),
      imports: await n(ofImports),
      snapshots: await n(
        read().select().from(supplyImportSnapshots).where(inArray(supplyImportSnapshots.importId, ofImports)),
      ),
      named: owner > 0 ? 0 : await n(read().select().from(supplyMovements).where(ofOperator)),
    }
  }
  const NO_SUPPLIES = {
    supplies: 0,
    movements: 0,
    places: 0,
    loans: 0,
    numbers: 0,
    imports: 0,
    snapshots: 0,
    named: 0,
  }

  /** Imports so many supplies with stock, and returns the id of the import. */
  async function importSupplies(person: Person, count: number, orgId?: number): Promise<number> {
    const rows = ['Name,Stock', ...Array.from({ length: count }, (_, i) => `Thing ${i},5`)]
    const form = new FormData()
    if (orgId !== undefined) form.set('orgId', String(orgId))
    form.set('file', new File([rows.join('\n')], 'list.csv'))
    return ok(await person.send('POST', '/api/supplies/import', { body: form })).data.importId
  }

  /** Removes the rest, killed after each write, which may change 500 rows. */
  async function expectSmallWrites(left: () => ReturnType<typeof suppliesLeft>): Promise<number> {
    const sum = async () => Object.values(await left()).reduce((all, rows) => all + rows, 0)
    let [before, writes] = [await sum(), 0]
    while (before > 0 && writes < 50) {
      writesLeft = 1
      await removeAll(server.ctx).catch(() => undefined)
      const after = await sum()
      // The next number is a row beside them.
      expect(before - after).toBeLessThanOrEqual(501)
      before = after
      writes++
    }
    expect(await left()).toEqual(NO_SUPPLIES)
    return writes
  }

  test('supplies of a deleted user end in small writes, with their places, loans and movements', async () => {
    const user = await server.person()
    await importSupplies(user, 700)
    const { id } = ok(await user.call('supplies.create', { body: { name: 'Chairs', kind: 'POOL' } })).data
    ok(await user.call('supplies.move', { params: { id }, body: { type: 'IN', quantity: 1000 } }))
    for (let nth = 0; nth < 3; nth++) {
      const items = Array.from({ length: 200 }, (_, i) => {
        return { supplyId: id, type: 'TAKE' as const, quantity: 1, personName: `Person ${nth} ${i}` }
      })
      ok(await user.call('supplies.moveMany', { body: { items } }))
    }
    const org = await createOrg(owner)
    await addMembers(owner, org, user)
    await setRole(owner, org, user, 'ADMIN')
    await importSupplies(user, 600, org.id)
    const left = () => suppliesLeft(-user.id, user.id)
    expect(await left()).toEqual({
      supplies: 701,
      movements: 1301,
      places: 701,
      loans: 600,
      numbers: 1,
      imports: 1,
      snapshots: 4,
      named: 600,
    })
    writesLeft = 1
    ok(await deleteAccount(user))
    expect(await expectSmallWrites(left)).toBeGreaterThan(5)
    await goOn()
    expect(await read().select().from(removals).where(eq(removals.owner, -user.id))).toEqual([])
    const kept = ok(await owner.call('supplies.movements', { query: { orgId: org.id, size: 1 } })).data
    expect([kept.total, kept.items[0]!.operatorName]).toEqual([600, 'Deleted user'])
    const { total } = ok(await owner.call('supplies.list', { query: { orgId: org.id, size: 1 } })).data
    expect(total).toBe(600)
  })

  test('deleted supplies of a dissolved organization end in small writes, and undeleted ones keep it', async () => {
    const org = await createOrg(owner)
    const importId = await importSupplies(owner, 600, org.id)
    const { id } = ok(
      await owner.call('supplies.create', { body: { name: 'Chairs', kind: 'POOL', orgId: org.id } }),
    ).data
    ok(await owner.call('supplies.move', { params: { id }, body: { type: 'IN', quantity: 10 } }))
    ok(await owner.call('supplies.undoImport', { params: { id: importId }, body: {} }))
    expect((await dissolve(org.id)).status).toBe(400)
    ok(await owner.call('supplies.delete', { params: { id } }))
    const left = () => suppliesLeft(org.id, owner.id)
    expect(await left()).toMatchObject({ supplies: 601, movements: 1201, places: 1, numbers: 1, imports: 1 })
    writesLeft = 1
    ok(await dissolve(org.id))
    expect(await expectSmallWrites(left)).toBeGreaterThan(1)
    await goOn()
    expect(await rowsOfOrg(org.id)).toEqual(NOTHING)
  })
})
