/** The signed-in user, the permissions, and the workspace: the things of the user or of an organization. */

import { createContext, useCallback, useContext, useSyncExternalStore } from 'react'

import { call, callWith } from '../api/client.ts'
import { ApiError, isLost, MUST_CHANGE_PASSWORD } from '../api/errors.ts'
import { lastAnswer } from '../api/kept.ts'
import { OPERATIONS } from '../api/operations.gen.ts'
import {
  accessToken,
  forget,
  mayBeSignedIn,
  onLogin,
  openFor,
  renew,
  renewalIsLost,
  rest,
  signOutLater,
} from '../api/tokens.ts'
import type { DataOf, MyPermissions, OperationId, Organization } from '../api/types.ts'
import { keepFor, keptUser } from '../browser/database.ts'
import { serverTime } from '../browser/server-time.ts'
import { storage } from '../browser/storage.ts'
import { turnOffPush } from './push.ts'

export interface Session {
  readonly user: DataOf<'profile.get'>
  readonly roleName: string
  readonly app: ReadonlySet<string>
  readonly platform: ReadonlySet<string>
  readonly orgs: readonly Organization[]
  /** The organization whose things are shown; null for the user's own. */
  readonly workspace: Organization | null
  /** The password is one that an administrator chose; nothing else works until it is changed. */
  readonly mustChangePassword?: boolean
  /** All of this is of an earlier visit, and the server has not been asked yet. */
  readonly isKept: boolean
}

const WORKSPACE = 'tessera.workspace'

let session: Session | undefined
let ended: Session | undefined
let loading: Promise<Session | undefined> | undefined
const listeners = new Set<() => void>()

function set(next: Session | undefined): void {
  lastUserId = session?.user.id ?? lastUserId
  ended = next === undefined ? session : undefined
  session = next
  for (const listener of listeners) listener()
}

/** The user of the session before, in this tab. */
export const lastUser = (): number | undefined => lastUserId
let lastUserId: number | undefined

export const currentSession = (): Session | undefined => session

/** Notifies the listener when the session begins, changes or ends. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useOptionalSession = (): Session | undefined => useSyncExternalStore(onSession, currentSession)

/** The session of a page that only signed-in users see. A page that is drawn while its session ends gets the last one. */
export function useSession(): Session {
  const current = useOptionalSession() ?? ended
  if (current === undefined) throw new Error('This page needs a signed-in user')
  return current
}

/** The session, restored from the cookie after the page was reloaded. Undefined if nobody is signed in. */
export async function restoreSession(): Promise<Session | undefined> {
  if (session !== undefined) return session
  if (!mayBeSignedIn()) {
    // If the browser could not delete it when the session ended.
    keepFor(undefined)
    return undefined
  }
  loading ??= restore().finally(() => (loading = undefined))
  return await loading
}

/** Milliseconds. Then the session goes on with its kept data. */
const PATIENCE = 4_000
/** Milliseconds after its last use that a session lasts. */
const LIFETIME = 30 * 24 * 3_600_000

/** The organizations of the user: `orgs.list` with this input. */
const ORGS = { query: { size: 100 } } as const

async function restore(): Promise<Session | undefined> {
  const renewed = renew()
  const lost = renewalIsLost(PATIENCE)
  // A browser may take seconds to open its database.
  const kept = await Promise.race([keptSession(), renewed.then(() => undefined)])
  if (kept === undefined || accessToken() !== undefined || !mayBeSignedIn())
    return (await renewed) ? await reloadSession() : undefined
  const userId = kept.user.id
  keepFor(userId)
  const first = Promise.race([renewed.then(() => 'renewed'), lost.then(() => 'lost')])
  openFor(
    userId,
    first.then((which) => void (which === 'lost' && restUntilRenewed(userId))),
  )
  set(kept)
  void first.then((which) => (which === 'renewed' ? refreshSession() : undefined))
  return kept
}

/** The session of the visit before, from its data in this browser. */
async function keptSession(): Promise<Session | undefined> {
  const userId = keptUser()
  if (userId === undefined) return undefined
  const [user, permissions, orgs] = await Promise.all([
    lastAnswer(userId, 'profile.get'),
    lastAnswer(userId, 'access.myPermissions'),
    lastAnswer(userId, 'orgs.list', ORGS),
  ])
  if (user === undefined || permissions === undefined || orgs === undefined) return undefined
  if (user.at < serverTime() - LIFETIME) {
    if (accessToken() === undefined) keepFor(undefined)
    return undefined
  }
  return sessionOf(
    user.data as Session['user'],
    permissions.data as MyPermissions,
    (orgs.data as { items: Organization[] }).items,
    true,
  )
}

async function refreshSession(): Promise<void> {
  // Otherwise it has ended, and everybody knows.
  if (accessToken() !== undefined) await reloadSession().catch(() => session && set({ ...session, isKept: false }))
}

let wasResting = false

/** Tokens follow as soon as the server answers. Until then nothing is sent. */
function restUntilRenewed(userId: number): void {
  if (accessToken() !== undefined || !mayBeSignedIn()) return
  rest(userId)
  wasResting = true
  // So that the page says how old its data are.
  void reloadSession().catch(() => undefined)
}

/** Reads user, permissions and organizations again: after a sign-in, and after they have changed. */
export async function reloadSession(): Promise<Session> {
  const [user, rest] = await Promise.all([
    call('profile.get'),
    Promise.all([call('access.myPermissions'), call('orgs.list', ORGS)]).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === MUST_CHANGE_PASSWORD) return undefined
      throw error
    }),
  ])
  const next =
    rest === undefined
      ? { ...sessionOf(user, { app: [], platform: [], roleName: '' } as never, [], false), mustChangePassword: true }
      : sessionOf(user, rest[0], rest[1].items, false)
  set(next)
  return next
}

function sessionOf(
  user: Session['user'],
  permissions: MyPermissions,
  orgs: readonly Organization[],
  isKept: boolean,
): Session {
  const chosen = Number(storage.getItem(`${WORKSPACE}.${user.id}`))
  return {
    user,
    roleName: permissions.roleName,
    app: new Set(permissions.app),
    platform: new Set(permissions.platform),
    orgs,
    workspace: orgs.find(({ id }) => id === chosen) ?? null,
    isKept,
  }
}

/** Shows the things of an organization, or with null those of the user. The caller discards its cached answers. */
export function chooseWorkspace(org: Organization | null): void {
  if (session === undefined) return
  const key = `${WORKSPACE}.${session.user.id}`
  if (org === null) storage.removeItem(key)
  else storage.setItem(key, String(org.id))
  set({ ...session, workspace: org })
}

/** `{ orgId }` for the query of lists and of creation, which are about the workspace; empty for the user's own things. */
export const ownerQuery = (): { orgId?: number } => (session?.workspace == null ? {} : { orgId: session.workspace.id })

/** An organization that owns things. */
export type Owner = Pick<Organization, 'id' | 'name' | 'status' | 'permissions'>

/** The owner of the row that a page is about (ui/Owned.tsx), null for the user. Undefined: the page is about the workspace. */
export const OwnerContext = createContext<Owner | null | undefined>(undefined)

/**
 * Whose things a part of a page is about: the owner of the row in the address, whatever the workspace is; in lists the workspace. Null
 * for the user's own things.
 */
export function useOwner(): Owner | null {
  const { workspace } = useSession()
  const owner = useContext(OwnerContext)
  return owner === undefined ? workspace : owner
}

/** `{ orgId }` for the query of operations that are about `useOwner()`. */
export function useOwnerQuery(): { orgId?: number } {
  const owner = useOwner()
  return owner === null ? {} : { orgId: owner.id }
}

/**
 * The query that reads a row by its id alone. Without `orgId` the row decides whose it is, but the server asks for the permission to own such
 * things: who may use only those of organizations names the workspace.
 */
export function useRowQuery(id: OperationId): { orgId?: number } {
  useOptionalSession()
  return may(id, null) ? {} : ownerQuery()
}

/** Whether the signed-in user may call an operation; in the given organization, by default that of the workspace. */
export function may(id: OperationId, org: Owner | null | undefined = session?.workspace): boolean {
  if (session === undefined) return false
  const [, , access, point] = OPERATIONS[id] as readonly [string, string, string, string | null]
  switch (access) {
    case 'open':
    case 'signedIn':
      return true
    case 'admin':
      return session.platform.size > 0
    case 'platform':
    case 'publisher':
      return session.platform.has(point!)
    case 'org':
      return org?.permissions.includes(point!) ?? false
    case 'dual':
      return org == null ? session.app.has(point!) : org.permissions.includes(point!)
    default:
      return session.app.has(point!)
  }
}

/** `may`, by default with the owner of the row that the page is about. The component is drawn again when the answer may have changed. */
export function useMay(): typeof may {
  useOptionalSession()
  const owner = useContext(OwnerContext)
  // The same function as long as the owner is the same: effects depend on it.
  return useCallback((id: OperationId, org: Owner | null | undefined = owner) => may(id, org), [owner])
}

export const isAdministrator = (): boolean => (session?.platform.size ?? 0) > 0

/** Whether the user has signed out in this tab, rather than that the session has ended. */
export const hasSignedOut = (): boolean => isSignedOut
let isSignedOut = false

/**
 * Ends the session in this tab and on the server. If the server cannot be reached, it is asked later: until then the sign-in page says
 * so, and this browser does not continue the session.
 *
 * @throws ApiError
 */
export async function signOut(): Promise<void> {
  isSignedOut = true
  let leaveFor: string | null = null
  try {
    const ended = (await callWith('auth.logout', {}, { waitsForSignIn: false })) as DataOf<'auth.logout'>
    forget()
    leaveFor = ended?.logoutUrl ?? null
  } catch (error) {
    if (isLost(error) || (error instanceof ApiError && (error.status >= 500 || error.status === 429))) signOutLater()
    // 401: the session has ended before.
    else if (error instanceof ApiError && error.status !== 401) throw error
    else forget()
  }
  // The next user of this browser must not see the messages of this one. If it fails, the server has ended it with the session.
  await turnOffPush().catch(() => undefined)
  // The user is still signed in at the provider.
  if (leaveFor !== null) window.location.assign(leaveFor)
}

onLogin((login) => {
  keepFor(login?.user.id)
  if (login === undefined) set(undefined)
  else {
    isSignedOut = false
    // It was restored without the server.
    if (wasResting) void reloadSession().catch(() => undefined)
  }
  wasResting = false
})
