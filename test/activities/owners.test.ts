/** Activities of users and organizations that end, of disabled organizations, and their metadata. */

import { describe, expect, test } from 'bun:test'

import type { OrgStatus } from '#db/schema/orgs.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { createActivity, getActivity, minimal } from './helpers.ts'

const { server, alice, owner, deputy, member } = useServer({ people: ['alice', 'owner', 'deputy', 'member'] })

test('an organization is not dissolved while it has activities; deleted ones do not count', async () => {
  const org = await createOrg(owner)
  const activity = await createActivity(owner, { orgId: org.id })
  const refused = await owner.delete(`/api/orgs/${org.id}`)
  expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('activities (1)')])
  ok(await owner.delete(`/api/activities/${activity.id}`))
  ok(await owner.delete(`/api/orgs/${org.id}`))
  expect((await owner.get(`/api/activities/${activity.id}`)).status).toBe(404)
})

test('an organization is not dissolved while it has pass templates', async () => {
  const org = await createOrg(owner)
  const { data } = ok(await owner.post('/api/pass/templates', { name: 'Day pass', orgId: org.id }))
  const refused = await owner.delete(`/api/orgs/${org.id}`)
  expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('pass templates (1)')])
  ok(await owner.delete(`/api/pass/templates/${data.id}`))
  ok(await owner.delete(`/api/orgs/${org.id}`))
})

test('deleting an account cancels its ACTIVE personal activities, and leaves the others and those of organizations', async () => {
  const user = await server.person()
  const org = await createOrg(owner)
  await addMembers(owner, org, user)
  await setRole(owner, org, user, 'ADMIN')
  const open = { visibility: 'PUBLIC', status: 'ACTIVE' } as const
  const active = await createActivity(user, open)
  const ended = await createActivity(user, { ...open, status: 'ENDED' })
  const draft = await createActivity(user, { visibility: 'PUBLIC' })
  const shared = await createActivity(user, { ...open, orgId: org.id })
  ok(await user.post('/api/auth/account/delete'))
  expect(await getActivity(alice, active.id)).toMatchObject({ status: 'CANCELLED', version: active.version + 1 })
  expect((await getActivity(alice, active.id)).ownerName).not.toBe(active.ownerName)
  expect((await getActivity(alice, ended.id)).status).toBe('ENDED')
  expect((await alice.get(`/api/activities/${draft.id}`)).status).toBe(404)
  expect(await getActivity(owner, shared.id)).toMatchObject({ status: 'ACTIVE', canManage: true })
})

describe.if(inProcess)('a disabled organization', () => {
  test('refuses every write to its activities with 403, and shows them as before', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, deputy, member)
    await setRole(owner, org, deputy, 'ADMIN')
    const fields = { orgId: org.id, status: 'ACTIVE' } as const
    const restricted = await createActivity(deputy, { ...fields, visibility: 'RESTRICTED' })
    const invite = await createActivity(deputy, fields)
    const open = await createActivity(deputy, { ...fields, visibility: 'PUBLIC' })
    const draft = await createActivity(deputy, { orgId: org.id })
    const setStatus = (status: OrgStatus) =>
      server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, org.id, status))
    await setStatus('DISABLED')
    for (const person of [owner, deputy]) {
      for (const { id } of [restricted, invite, open, draft]) {
        const path = `/api/activities/${id}`
        const replies = [
          await person.put(path, { name: 'x' }),
          await person.patch(`${path}/status`, { status: 'ACTIVE' }),
          await person.patch(`${path}/invite-code`),
          await person.delete(path),
        ]
        expect(replies.map(({ status }) => status)).toEqual([403, 403, 403, 403])
      }
      expect((await person.post('/api/activities', { ...minimal, orgId: org.id })).status).toBe(403)
      const named = { ownerType: 'ORGANIZATION', ownerId: org.id }
      expect((await person.post('/api/activities', { ...minimal, ...named })).status).toBe(403)
    }
    for (const activity of [restricted, invite, open, draft])
      expect(await getActivity(deputy, activity.id)).toEqual(activity)
    expect((await getActivity(member, restricted.id)).id).toBe(restricted.id)
    expect((await getActivity(alice, open.id)).id).toBe(open.id)
    expect(ok(await owner.get('/api/activities', { orgId: org.id })).data.total).toBe(4)
    await setStatus('ACTIVE')
    expect(ok(await deputy.put(`/api/activities/${draft.id}`, { name: 'x' })).data.version).toBe(draft.version + 1)
  })
})

describe('metadata', () => {
  const field = async () =>
    ok(
      await owner.call('metadata.createField', {
        params: { objectName: 'activity' },
        body: { name: `field ${Math.random()}`, type: 'TEXT' },
      }),
    ).data.id

  test('fields can be filled in for an activity, and its values end with it', async () => {
    const activity = await createActivity(owner)
    const fieldId = await field()
    const path = `/api/meta/objects/activity/entities/${activity.id}/values`
    ok(await owner.put(path, { values: [{ fieldId, value: 'XL' }] }))
    const search = async () =>
      ok(await owner.get('/api/meta/objects/activity/values', { fieldId, value: 'XL' })).data.items
    expect(await search()).toEqual([expect.objectContaining({ entityId: activity.id, title: activity.name })])
    expect((await alice.put(path, { values: [{ fieldId, value: 'S' }] })).status).toBe(404)
    ok(await owner.delete(`/api/activities/${activity.id}`))
    expect((await owner.get(path)).status).toBe(404)
    expect(await search()).toEqual([])
  })

  test('of activities of an organization is for those who manage activities', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const { id } = await createActivity(owner, { orgId: org.id, visibility: 'RESTRICTED', status: 'ACTIVE' })
    const path = `/api/meta/objects/activity/entities/${id}/values`
    ok(await owner.get(path))
    expect((await member.get(path)).status).toBe(404)
  })
})
