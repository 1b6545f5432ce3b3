/** The signed-in user, the permissions, and the workspace: the things of the user or of an organization. */

import { useSyncExternalStore } from 'react'

import { call, callWith } from '../api/client.ts'
import { ApiError, isLost } from '../api/errors.ts'
import { OPERATIONS } from '../api/operations.gen.ts'
import { forget, mayBeSignedIn, onLogin, renew, signOutLater } from '../api/tokens.ts'
import type { MyPermissions, OperationId, Organization, User } from '../api/types.ts'
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

export const useOptionalSession = (): Session | undefined =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, currentSession)

/** The session of a page that only signed-in users see. */
export function useSession(): Session {
  const current = useOptionalSession()
  if (current === undefined) throw new Error('This page needs a signed-in user')
  return current
}

/** The session, restored from the cookie after the page was reloaded. Undefined if nobody is signed in. */
export async function restoreSession(): Promise<Session | undefined> {
  if (session !== undefined) return session
  if (!mayBeSignedIn()) return undefined
  loading ??= (async () => ((await renew()) ? await reloadSession() : undefined))().finally(() => (loading = undefined))
  return await loading
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

/** `{ orgId }` for the query of operations that are about the workspace; empty for the user's own things. */
export const ownerQuery = (): { orgId?: number } => (session?.workspace == null ? {} : { orgId: session.workspace.id })

/** Whether the signed-in user may call an operation; in the given organization, by default that of the workspace. */
export function may(id: OperationId, org: Organization | null | undefined = session?.workspace): boolean {
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

/** `may`, and the component is drawn again when the answer may have changed. */
export function useMay(): typeof may {
  useOptionalSession()
  return may
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
  if (login === undefined) set(undefined)
  else isSignedOut = false
})
