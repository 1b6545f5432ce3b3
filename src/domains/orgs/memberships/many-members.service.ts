/** Memberships that an import of users gives: whether the caller may give them, and the writes. */

import type { AppContext } from '#context'
import { note } from '#db/notes.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { emit } from '#domains/domain.ts'
import type { Actor } from '#http/endpoint.ts'
import { AppError } from '#http/errors.ts'
import { wordKey } from '#lib/spreadsheets/cells.ts'

import { addMember, MEMBER, replaceRoles } from '../members/members.service.ts'
import { insertMembers } from '../members/members.store.ts'
import { notifyOwner } from '../notifications.ts'
import { orgFull } from '../orgs.errors.ts'
import { normalizeCode } from '../orgs.rules.ts'
import { findOrg, type OrgRow } from '../orgs.store.ts'
import { addToMemberCount, findOrgs, membersAmong } from './many-members.store.ts'
import { requireMayGive } from './memberships.service.ts'

type RoleToGive = { readonly code: string } | { readonly problem: 'noRole' | 'ownerRole' | 'roleRefused' }

export interface OrgToImportInto {
  readonly id: number
  readonly ownerId: number
  readonly freePlaces: number
  /** `text`: a code or name in any language; undefined for MEMBER. */
  role(text: string | undefined): RoleToGive
  /** The codes of the roles of those of `userIds` who are members. */
  readonly members: ReadonlyMap<number, readonly string[]>
}

/**
 * The organizations that the texts name, by code or by a name that only one has, by these texts, and the one with the id `orgId` by the empty text. `roles`: all
 * texts that name roles. `userIds`: the known users in the file.
 */
export async function orgsToImportInto(
  db: Db | Tx,
  actor: Actor,
  given: {
    readonly texts: readonly string[]
    readonly orgId: number | undefined
    readonly roles: readonly string[]
    readonly userIds: readonly number[]
  },
): Promise<Map<string, OrgToImportInto>> {
  const codes = given.texts.map((text) => normalizeCode(text) ?? '')
  const rows = await findOrgs(db, { codes, names: given.texts, id: given.orgId })
  const unique = new Map(rows.map((row) => [row.id, row]))
  const facts = new Map<number, OrgToImportInto>()
  const byText = new Map<string, OrgToImportInto>()
  const add = async (text: string, org: OrgRow | undefined): Promise<void> => {
    if (org === undefined) return
    if (!facts.has(org.id)) facts.set(org.id, await factsOf(db, actor, org, given.roles, given.userIds))
    byText.set(text, facts.get(org.id)!)
  }
  for (const [i, text] of given.texts.entries()) {
    const all = [...unique.values()]
    const named = all.filter(({ name }) => name === text)
    await add(text, all.find(({ code }) => code === codes[i]) ?? (named.length === 1 ? named[0] : undefined))
  }
  if (given.orgId !== undefined) await add('', unique.get(given.orgId))
  return byText
}

async function factsOf(
  db: Db | Tx,
  actor: Actor,
  org: OrgRow,
  texts: readonly string[],
  userIds: readonly number[],
): Promise<OrgToImportInto> {
  const roles = await access.rolesOfOrg(db, org.id)
  const found = new Map<string, RoleToGive>()
  for (const text of new Set(texts)) {
    const key = wordKey(text)
    const role = roles.find((one) =>
      [one.code, access.orgRoleName(one, 'en'), access.orgRoleName(one, 'zh')].some((name) => wordKey(name) === key),
    )
    found.set(text, role === undefined ? { problem: 'noRole' } : await roleToGive(db, actor, org.id, role))
  }
  const members = new Map<number, string[]>()
  const memberIds = await membersAmong(db, org.id, userIds)
  for (const userId of memberIds) members.set(userId, [])
  for (let at = 0; at < memberIds.length; at += AT_ONCE)
    for (const { userId, code } of await access.orgRolesOfMany(db, [org.id], memberIds.slice(at, at + AT_ONCE)))
      members.get(userId)?.push(code)
  return {
    id: org.id,
    ownerId: org.ownerId,
    freePlaces: Math.max(0, org.memberLimit - org.memberCount),
    role: (text) => (text === undefined ? { code: MEMBER } : (found.get(text) ?? { problem: 'noRole' })),
    members,
  }
}

/** Rows of one statement, which takes a millisecond or two. Other requests run before the next one. */
const AT_ONCE = 100

async function roleToGive(
  db: Db | Tx,
  actor: Actor,
  orgId: number,
  role: { readonly id: number; readonly code: string },
): Promise<RoleToGive> {
  if (role.code === access.OWNER) return { problem: 'ownerRole' }
  try {
    await requireMayGive(db, actor, orgId, role)
    return { code: role.code }
  } catch (error) {
    if (error instanceof AppError) return { problem: 'roleRefused' }
    throw error
  }
}

export interface MembershipToImport {
  readonly orgId: number
  readonly userId: number
  readonly role: string
  /** Otherwise a member gets another role. */
  readonly isNew: boolean
  /** The user was made by the same import. */
  readonly isNewUser: boolean
}

/**
 * Owners are notified once for each organization. `awaited`: how many users whom later writes make (`addAwaitedMembers`) join each organization; their
 * places are taken now.
 * @throws AppError 400 if an organization is full meanwhile
 */
export async function importMemberships(
  ctx: AppContext,
  tx: Tx,
  actor: Actor,
  list: readonly MembershipToImport[],
  awaited: ReadonlyMap<number, number>,
): Promise<void> {
  const byOrg = Map.groupBy(list, (one) => one.orgId)
  for (const orgId of new Set([...byOrg.keys(), ...awaited.keys()])) {
    const [ofOrg, ofLater] = [byOrg.get(orgId) ?? [], awaited.get(orgId) ?? 0]
    const org = await findOrg(tx, orgId)
    if (org === undefined) throw orgFull()
    const ofNewUsers = ofOrg.filter(({ isNewUser }) => isNewUser)
    const places = ofNewUsers.length + ofLater
    if (places > 0 && !(await addToMemberCount(tx, orgId, places))) throw orgFull()
    await addNewUsers(ctx, tx, orgId, ofNewUsers)
    for (const { userId, role, isNew, isNewUser } of ofOrg) {
      if (isNewUser) continue
      if (isNew) await addMember(ctx, tx, orgId, userId, { roleCode: role, byAdministrator: true })
      else await replaceRoles(tx, orgId, userId, (await access.findOrgRole(tx, orgId, { code: role }))!)
      await tx.pause()
    }
    const known = ofOrg.filter(({ isNew }) => isNew).length
    const change = { change: 'IMPORTED', added: known + ofLater, changed: ofOrg.length - known } as const
    await notifyOwner(ctx, tx, org, actor, change)
  }
}

type NewMember = Pick<MembershipToImport, 'role' | 'userId'>

/** New users who get the places that `importMemberships` has taken. Those of an organization that was dissolved meanwhile get none. */
export async function addAwaitedMembers(
  ctx: AppContext,
  tx: Tx,
  list: readonly (NewMember & { readonly orgId: number })[],
): Promise<void> {
  for (const [orgId, ofOrg] of Map.groupBy(list, (one) => one.orgId)) {
    if ((await findOrg(tx, orgId)) === undefined) continue
    const deleted = new Set<string>()
    for (const code of new Set(ofOrg.map(({ role }) => role)))
      if ((await access.findOrgRole(tx, orgId, { code })) === undefined) deleted.add(code)
    await addNewUsers(
      ctx,
      tx,
      orgId,
      ofOrg.map((one) => ({ ...one, role: deleted.has(one.role) ? MEMBER : one.role })),
    )
  }
}

/** They have no requests or invitations that would have to be closed. The caller counts them. */
async function addNewUsers(ctx: AppContext, tx: Tx, orgId: number, list: readonly NewMember[]): Promise<void> {
  for (let at = 0; at < list.length; at += AT_ONCE) {
    const some = list.slice(at, at + AT_ONCE)
    const userIds = some.map(({ userId }) => userId)
    await insertMembers(tx, orgId, userIds)
    for (const [code, holders] of Map.groupBy(some, ({ role }) => role))
      await access.bindRoleToAll(
        tx,
        holders.map(({ userId }) => userId),
        'ORG',
        orgId,
        code,
      )
    for (const id of userIds) note(tx, { type: 'member.joined', owner: orgId, id })
    await emit(ctx, tx, 'members.imported', { orgId, userIds })
    await tx.pause()
  }
}
