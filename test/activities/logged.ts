import { HOUR } from '#platform/clock.ts'

import { ok } from '../harness/index.ts'
import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { checkIn, openActivity } from './check-in-helpers.ts'
import { issueOne } from './gate-helpers.ts'
import { createGate } from './gate-link-helpers.ts'
import { createActivity, minimal } from './helpers.ts'
import { withCode } from './inviting.ts'
import { sent } from './message-helpers.ts'
import { withPasses } from './pass-helpers.ts'

const ACTIVITIES = '/api/admin/activities'

export const logged: LoggedFixture = {
  'admin.activities.create': async ({ server, admin }) => {
    const owner = await server.person()
    const create = (fields: object) => admin.post(ACTIVITIES, { ...minimal, ...fields })
    const body = { ownerType: 'PERSONAL', ownerId: owner.id, checkInConfig: { shortCode: 'SECRET7' } }
    return {
      call: () => create(body),
      row: {
        targetId: ({ data }) => data.id,
        targetName: minimal.name,
        before: null,
        after: { ...minimal, userId: owner.id, orgId: null, status: 'DRAFT', visibility: 'INVITE_ONLY' },
      },
      refused: [
        () => create({}),
        () => create({ ...body, ownerId: 999_999 }),
        () => create({ ...body, endTime: minimal.startTime }),
      ],
    }
  },
  'admin.activities.update': async ({ server, admin }) => {
    const { id } = await createActivity(await server.person())
    const change = (body: object, of = id) => admin.put(`${ACTIVITIES}/${of}`, body)
    const body = { name: 'New', registration: { capacity: 3 }, checkInConfig: { maxPerUser: 2, shortCode: 'SECRET7' } }
    const place = { radiusMeters: null, latitude: null, longitude: null }
    const rules = { ...place, opensAt: null, closesAt: null, registeredOnly: false, rotatingSeconds: null }
    const questions = {
      waitlist: false,
      opensAt: null,
      closesAt: null,
      personalOnly: false,
      questions: [],
      approval: false,
      contact: 'NONE',
      guests: false,
      guestRetentionDays: null,
    }
    return {
      call: () => change({ ...body, description: '' }),
      row: {
        targetId: id,
        targetName: minimal.name,
        before: { name: minimal.name, registration: null, checkInConfig: { ...rules, maxPerUser: 1 }, version: 1 },
        after: {
          name: 'New',
          registration: { ...questions, capacity: 3 },
          checkInConfig: { ...rules, maxPerUser: 2 },
          version: 2,
        },
      },
      refused: [() => change({ name: '' }), () => change({ endTime: 1 }), () => change({ name: 'x' }, 999_999)],
      unchanged: () => change(body),
    }
  },
  'admin.checkIns.delete': async ({ server, admin }) => {
    const [owner, visitor] = [await server.person(), await server.person()]
    const activity = await openActivity(server, owner)
    const { id, ...record } = ok(await checkIn(visitor, activity)).data
    const remove = () => admin.delete(`/api/admin/check-in/${id}`)
    const before = {
      activityId: activity.id,
      userId: visitor.id,
      method: record.method,
      sequence: 1,
      checkedInAt: record.checkedInAt,
    }
    return {
      call: remove,
      row: { targetId: id, targetName: activity.name, before, after: null },
      refused: [remove],
    }
  },
  'admin.activities.delete': async ({ server, admin }) => {
    const owner = await server.person()
    const { id } = await createActivity(owner, { status: 'ACTIVE' })
    const remove = () => admin.delete(`${ACTIVITIES}/${id}`)
    const before = { ...minimal, userId: owner.id, orgId: null, status: 'ACTIVE', visibility: 'INVITE_ONLY' }
    return { call: remove, row: { targetId: id, targetName: minimal.name, before, after: null }, refused: [remove] }
  },
  'admin.activityMessages.delete': async ({ server, admin }) => {
    const owner = await server.person()
    const activity = await createActivity(owner, { status: 'ACTIVE' })
    const { id } = await sent(owner, activity, { sendAt: server.clock.now() + HOUR })
    const remove = (of = id) => admin.delete(`${ACTIVITIES}/${activity.id}/messages/${of}`)
    return {
      call: () => remove(),
      row: {
        targetId: id,
        targetName: activity.name,
        before: { activityId: activity.id, state: 'SCHEDULED' },
        after: null,
      },
      refused: [() => remove(999_999)],
      unchanged: () => remove(),
    }
  },
  'admin.activityInvitations.revoke': async ({ server, admin }) => {
    const owner = await server.person()
    const activity = await createActivity(owner)
    const { id } = await withCode(owner, activity)
    const revoke = (of = id) => admin.delete(`${ACTIVITIES}/${activity.id}/invitations/${of}`)
    return {
      call: () => revoke(),
      row: {
        targetId: id,
        targetName: activity.name,
        before: { activityId: activity.id, state: 'OPEN' },
        after: null,
      },
      refused: [() => revoke(999_999)],
      unchanged: () => revoke(),
    }
  },
  'admin.activityGates.revoke': async ({ server, admin }) => {
    const owner = await server.person()
    const { id: activityId } = await withPasses(owner)
    const { id } = await createGate(owner, activityId)
    const revoke = (of = id) => admin.delete(`${ACTIVITIES}/${activityId}/gates/${of}`)
    return {
      call: () => revoke(),
      row: {
        targetId: id,
        targetName: 'Main entrance',
        before: { isRevoked: false },
        after: { isRevoked: true },
      },
      refused: [() => revoke(999_999)],
      unchanged: () => revoke(),
    }
  },
  'admin.passes.revoke': async ({ server, admin }) => {
    const owner = await server.person()
    const pass = await issueOne(owner, (await withPasses(owner)).id)
    const revoke = (reason: string | null, of = pass.id) => admin.put(`/api/admin/passes/${of}/revoke`, { reason })
    return {
      call: () => revoke('Lost'),
      row: {
        targetId: pass.id,
        targetName: pass.holderName,
        before: { status: 'ISSUED', revokeReason: null },
        after: { status: 'REVOKED', revokeReason: 'Lost' },
      },
      refused: [() => revoke('Lost', 999_999), () => revoke('x'.repeat(201))],
      unchanged: () => revoke('another reason'),
    }
  },
  'admin.passes.delete': async ({ server, admin }) => {
    const owner = await server.person()
    const activity = await withPasses(owner)
    const pass = await issueOne(owner, activity.id, { userId: owner.id })
    const remove = () => admin.delete(`/api/admin/passes/${pass.id}`)
    const before = { activityId: activity.id, holderUserId: owner.id, status: 'ISSUED', maxUses: 1, usedCount: 0 }
    return {
      call: remove,
      row: { targetId: pass.id, targetName: pass.holderName, before, after: null },
      refused: [remove],
    }
  },
}
