/** What the tests of organizations share. */

import { expect } from 'bun:test'

import type { Person, Reply } from '../harness/index.ts'

export interface Org {
  id: number
  code: string
  memberCount: number
  [field: string]: unknown
}

export const ok = (reply: Reply, what = ''): Reply => {
  expect(reply.status, `${what} ${reply.text.slice(0, 500)}`).toBe(200)
  return reply
}

let counter = 0

/** An organization with a name of its own. */
export async function found(owner: Person, fields: Record<string, unknown> = {}): Promise<Org> {
  counter += 1
  return ok(await owner.post('/api/orgs', { name: `organization ${counter}`, ...fields })).data
}

/** As its owner sees it now. */
export const look = async (who: Person, org: { id: number }): Promise<Org> =>
  ok(await who.get(`/api/orgs/${org.id}`)).data

/** Makes people members by invitation, which every organization allows. */
export async function enrol(owner: Person, org: { id: number }, ...people: Person[]): Promise<void> {
  if (people.length === 0) return
  const { items } = ok(await owner.post(`/api/orgs/${org.id}/invite`, { userIds: people.map((p) => p.id) })).data
  for (const [i, person] of people.entries())
    ok(await person.post('/api/orgs/invitation/respond', { invitationId: items[i].invitationId, accept: true }))
}

/** Gives a member a role. */
export async function promote(owner: Person, org: { id: number }, person: Person, roleCode: string): Promise<void> {
  ok(await owner.put(`/api/orgs/${org.id}/members/${person.id}`, { roleCode }))
}

export interface Member {
  userId: number
  nickname: string
  roleCode: string
  roleName: string
  roleId: number
  isOwner: boolean
}

export const members = async (who: Person, org: { id: number }): Promise<Member[]> =>
  ok(await who.get(`/api/orgs/${org.id}/members`, { size: 100 })).data.items

/** One owner, the stored count equal to the members there are, and each with a role. */
export async function expectSound(who: Person, org: { id: number }): Promise<void> {
  const { data } = ok(await who.get(`/api/orgs/${org.id}/members`, { size: 100 }))
  const owners = data.items.filter((m: Member) => m.isOwner)
  expect(owners).toHaveLength(1)
  expect(data.items.filter((m: Member) => m.roleCode === 'OWNER').map((m: Member) => m.userId)).toEqual([
    owners[0].userId,
  ])
  expect(data.items.every((m: Member) => m.roleId > 0)).toBe(true)
  const stats = ok(await who.get(`/api/orgs/${org.id}/stats`)).data
  expect(stats.memberCount).toBe(data.total)
  // One role each: nobody keeps an old one beside a new one.
  expect(stats.roles.reduce((sum: number, r: { memberCount: number }) => sum + r.memberCount, 0)).toBe(data.total)
}
