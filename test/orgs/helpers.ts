/** Helpers for the tests of organizations. */

import { expect } from 'bun:test'

import type { MemberView } from '#domains/orgs/members/members.model.ts'
import type { CreateOrg, OrgView } from '#domains/orgs/organizations/organizations.model.ts'

import { ok, type Person } from '../harness/index.ts'

export { ok }
export type Org = OrgView

/** An id that no row has. */
export const UNKNOWN_ID = 999_999_999

let counter = 0

/** Creates an organization, with a unique name unless one is given. */
export async function createOrg(owner: Person, fields: Partial<CreateOrg> = {}): Promise<Org> {
  counter += 1
  return ok(await owner.call('orgs.create', { body: { name: `organization ${counter}`, ...fields } })).data
}

/** The organization as `user` sees it now. */
export const getOrg = async (user: Person, org: { id: number }): Promise<Org> =>
  ok(await user.call('orgs.get', { params: { id: org.id } })).data

export const switchTo = (user: Person, org: { id: number }) => user.call('orgs.switch', { params: { id: org.id } })
export const leave = (user: Person, org: { id: number }) => user.call('orgs.leave', { params: { id: org.id } })
export const apply = (user: Person, org: { id: number }, message?: string) =>
  user.call('orgs.apply', { params: { id: org.id }, body: { ...(message !== undefined && { message }) } })
export const joinByCode = (user: Person, code: string) => user.call('orgs.joinByCode', { body: { code } })

/** Invites users by their ids; the items of the answer are in the order of the users. */
export async function invite(inviter: Person, org: { id: number }, ...users: { id: number }[]) {
  const body = { userIds: users.map((user) => user.id) }
  return ok(await inviter.call('orgs.invite', { params: { id: org.id }, body })).data.items
}

export const respond = (invitee: Person, invitationId: number, accept: boolean) =>
  invitee.call('orgs.respond', { body: { invitationId, accept } })

/** Makes users members by invitation, which works whatever the join policy is. */
export async function addMembers(owner: Person, org: { id: number }, ...users: Person[]): Promise<void> {
  if (users.length === 0) return
  const items = await invite(owner, org, ...users)
  for (const [i, user] of users.entries()) ok(await respond(user, items[i]!.invitationId!, true))
}

export async function setRole(owner: Person, org: { id: number }, member: Person, roleCode: string): Promise<void> {
  ok(await owner.call('orgs.changeMember', { params: { orgId: org.id, userId: member.id }, body: { roleCode } }))
}

export const offerTo = (owner: Person, org: { id: number }, candidate: { id: number }) =>
  owner.call('orgs.transfer', { params: { id: org.id }, body: { userId: candidate.id } })
export const answerOffer = (candidate: Person, org: { id: number }, accept: boolean) =>
  candidate.call('orgs.answerTransfer', { params: { id: org.id }, body: { accept } })
export const withdrawOffer = (owner: Person, org: { id: number }) =>
  owner.call('orgs.withdrawTransfer', { params: { id: org.id } })

/** The first 100 members and the total number. */
export const listMembers = async (user: Person, org: { id: number }): Promise<{ items: MemberView[]; total: number }> =>
  ok(await user.call('orgs.members', { params: { orgId: org.id }, query: { size: 100 } })).data

export const listRequests = async (user: Person, org: { id: number }) =>
  ok(await user.call('orgs.pending', { params: { id: org.id } })).data

export const currentOrgId = async (user: Person): Promise<number | null> =>
  ok(await user.get('/api/auth/userinfo')).data.currentOrgId

/** The organization has one owner, its member count equals its members, and each member has exactly one role. */
export async function expectConsistent(member: Person, org: { id: number }): Promise<void> {
  const { items, total } = await listMembers(member, org)
  const owners = items.filter((m) => m.isOwner).map((m) => m.userId)
  expect(owners).toHaveLength(1)
  expect(items.filter((m) => m.roleCode === 'OWNER').map((m) => m.userId)).toEqual(owners)
  expect(items.every((m) => m.roleId !== null && m.roleId > 0)).toBe(true)
  const stats = ok(await member.call('orgs.stats', { params: { id: org.id } })).data
  expect(stats.memberCount).toBe(total)
  // A member with an old role beside a new one would be counted twice.
  expect(stats.roles.reduce((sum, role) => sum + role.memberCount, 0)).toBe(total)
}
