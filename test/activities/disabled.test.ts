/** Activities of a DISABLED organization stay visible to the same users, and cannot be changed. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { setOrgStatus } from '#domains/orgs/index.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { createActivity } from './helpers.ts'

// The console has no operation for it yet, so the tests call the function that it will use.
describe.if(inProcess)('in a disabled organization', () => {
  const { server, owner, manager, creator, member } = useServer({ people: ['owner', 'manager', 'creator', 'member'] })
  let orgId: number
  const ids: number[] = []

  beforeAll(async () => {
    const org = await createOrg(owner)
    orgId = org.id
    await addMembers(owner, org, manager, creator, member)
    await setRole(owner, org, manager, 'ADMIN')
    await setRole(owner, org, creator, 'ADMIN')
    for (const fields of [{}, { status: 'ACTIVE' }, { status: 'ENDED', visibility: 'RESTRICTED' }] as const)
      ids.push((await createActivity(creator, { orgId, ...fields })).id)
    await setRole(owner, org, creator, 'MEMBER')
    await server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, orgId, 'DISABLED'))
  })

  const statuses = (user: Person) =>
    Promise.all(ids.map(async (id) => (await user.get(`/api/activities/${id}`)).status))
  const listed = async (user: Person) =>
    ok(await user.call('activities.list', { query: { orgId } }))
      .data.items.map(({ id }) => id)
      .toSorted((a, b) => a - b)

  test('managers and creators still see drafts and activities by invitation, in details and lists', async () => {
    for (const user of [owner, manager, creator]) {
      expect(await statuses(user)).toEqual([200, 200, 200])
      expect(await listed(user)).toEqual(ids)
    }
    expect(await statuses(member)).toEqual([404, 403, 200])
    expect(await listed(member)).toEqual(ids.slice(2))
  })

  test('writes of managers and creators answer 403 that says why', async () => {
    for (const user of [owner, manager, creator])
      for (const id of ids) {
        const params = { id }
        const replies = [
          await user.call('activities.update', { params, body: { name: 'Changed' } }),
          await user.call('activities.setStatus', { params, body: { status: 'ACTIVE' } }),
          await user.call('activities.resetInviteCode', { params }),
          await user.call('activities.delete', { params }),
        ]
        for (const reply of replies)
          expect([reply.status, reply.message]).toEqual([403, expect.stringContaining('disabled')])
      }
    expect(ok(await owner.call('activities.get', { params: { id: ids[0]! } })).data).toMatchObject({ version: 1 })
  })
})
