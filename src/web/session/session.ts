/** The signed-in user, the permissions, and the workspace: the things of the user or of an organization. */

import { createContext, useContext, useSyncExternalStore } from 'react'

import { call, callWith } from '../api/client.ts'
import { ApiError, isLost } from '../api/errors.ts'
import { OPERATIONS } from '../api/operations.gen.ts'
import {
  accessToken,
  forget,
  isResting,
  mayBeSignedIn,
  onLogin,
  renew,
  renewalIsLost,
  rest,
  signOutLater,
} from '../api/tokens.ts'
import type { MyPermissions, OperationId, Organization, User } from '../api/types.ts'
import { findAnswers, keepFor, keptUser } from '../browser/database.ts'
import { serverTime } from '../browser/server-time.ts'
import { storage } from '../browser/storage.ts'
import { turnOffPush } from './push.ts'

export interface Session {
  readonly user: User
  readonly roleName: string
  readonly app: ReadonlySet<string>
  readonly platform: ReadonlySet<string>
  readonly orgs: readonly Organization[]
  /** The organization whose things are shown; null for the user's own. */
  readonly workspace: Organization | null
}

const WORKSPACE = 'tessera.workspace'

let session: Session | undefined
let loading: Promise<Session | undefined> | undefined
const listeners = new Set<() => void>()

function set(next: Session | undefined): void {
  lastUserId = session?.user.id ?? lastUserId
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

/** The session of a page that only signed-in users see. */
export function useSession(): Session {
  const current = useOptionalSession()
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

async function restore(): Promise<Session | undefined> {
  const renewed = renew()
  const user = keptUser()
  const isLate = user !== undefined && (await Promise.race([renewed.then(() => false), late(PATIENCE)]))
  if (isLate) {
    const kept = await restoreKept(user)
    if (kept !== undefined) return kept
  }
  return (await renewed) ? await reloadSession() : undefined
}

const late = async (patience: number): Promise<boolean> => {
  await renewalIsLost(patience)
  return true
}

let wasResting = false

/** Milliseconds after its last use that a session lasts. */
const LIFETIME = 30 * 24 * 3_600_000

/** The session before, from its data in this browser. Tokens follow as soon as the server answers. */
async function restoreKept(userId: number): Promise<Session | undefined> {
  const profiles = await findAnswers(userId, 'profile.get').catch(() => [])
  if (accessToken() !== undefined) return undefined
  if (profiles.every(({ at }) => at < serverTime() - LIFETIME)) {
    keepFor(undefined)
    return undefined
  }
  rest(userId)
  wasResting = true
  keepFor(userId)
  try {
    return await reloadSession()
  } catch {
    // The renewal may have succeeded meanwhile.
    if (isResting()) rest(undefined)
    return session
  }
}

/** Reads user, permissions and organizations again: after a sign-in, and after they have changed. */
export async function reloadSession(): Promise<Session> {
  const [user, permissions, orgs] = await Promise.all([
    call('profile.get'),
    call('access.myPermissions'),
    call('orgs.list', { query: { size: 100 } }),
  ])
  const next = sessionOf(user, permissions, orgs.items)
  set(next)
  return next
}

function sessionOf(user: User, permissions: MyPermissions, orgs: readonly Organization[]): Session {
  const chosen = Number(storage.getItem(`${WORKSPACE}.${user.id}`))
  return {
    user,
    roleName: permissions.roleName,
    app: new Set(permissions.app),
    platform: new Set(permissions.platform),
    orgs,
    workspace: orgs.find(({ id }) => id === chosen) ?? null,
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
  return (id, org = owner) => may(id, org)
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
  try {
    await callWith('auth.logout', {}, { waitsForSignIn: false })
    forget()
  } catch (error) {
    if (isLost(error) || (error instanceof ApiError && (error.status >= 500 || error.status === 429))) signOutLater()
    // 401: the session has ended before.
    else if (error instanceof ApiError && error.status !== 401) throw error
    else forget()
  }
  // The next user of this browser must not see the messages of this one. If it fails, the server has ended it with the session.
  await turnOffPush().catch(() => undefined)
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
