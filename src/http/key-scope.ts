/**
 * The limits of the API key with which a request is made. Services check permissions by the id of a user, also for things that the record
 * of an operation does not name; the domain of permissions finds the key by the asynchronous context and takes away what the key does not
 * allow (ADR 0055). So no service can forget it.
 */

import type { AsyncLocalStorage } from 'node:async_hooks'

import type { PermissionDomain } from '#db/schema/access.ts'
import type { McpUse } from '#db/schema/api-keys.ts'
import { type Scope, scopes } from '#platform/spans.ts'

import type { AnyEndpoint } from './endpoint.ts'
import { AppError } from './errors.ts'

export interface KeyScope {
  readonly id: number
  readonly name: string
  /** The owner. */
  readonly userId: number
  readonly domain: PermissionDomain
  /** 0 unless the domain is ORG. */
  readonly orgId: number
  /** The owner may have lost some of them. */
  readonly points: ReadonlySet<string>
  readonly mcp: McpUse
}

const current = scopes as AsyncLocalStorage<(Scope & { readonly key?: KeyScope }) | undefined>

/** Calls `run` with the limits of `key`. Its writes have them too (db/around-writes.ts). */
export const withinKey = <T>(key: KeyScope, run: () => T): T => current.run({ ...current.getStore(), key }, run)

/** The key with which the request is made, if this user is its owner. Costs 10 ns without a key. */
export function keyScopeOf(userId: number): KeyScope | undefined {
  const key = current.getStore()?.key
  return key?.userId === userId ? key : undefined
}

/** Business code 4037. */
export const notForApiKeys = new AppError(403, 4037, {
  en: 'This operation is not open to API keys',
  zh: '此操作不对 API 密钥开放',
})

/** Areas that no key reaches, whatever points their operations ask for. */
const CLOSED =
  /^\/api\/(?:auth|rbac|webhooks|admin\/(?:api-keys|webhooks|oidc|backups|restores|server-log)|orgs\/:\w+\/api-keys)(?:\/|$)/
/** Changes of settings, roles, the status of accounts, passwords and second factors, and who owns an organization. */
const CLOSED_WRITES = [
  /^\/api\/admin\/(?:settings|chat\/settings|server|setup)(?:\/|$)/,
  /^\/api\/(?:admin\/)?orgs\/:\w+\/(?:roles|transfer|transfer-ownership)(?:\/|$)/,
  /^\/api\/(?:admin\/)?orgs\/:\w+\/members\/:\w+\/role$/,
  /^\/api\/admin\/users\/:\w+\/(?:role|status|password|reset-code|sessions|export)(?:\/|$)/,
]
/** Dissolving an organization, and deleting an account. */
const CLOSED_DELETIONS = /^\/api\/(?:admin\/)?(?:orgs|users)\/:\w+$/

/**
 * Whether no API key may call the operation. Keys call operations that ask for a permission point, public ones, and those that are for keys
 * only; of these none that could give more than the key has, or outlast it.
 */
export function isClosedToKeys({ access, method, path }: AnyEndpoint): boolean {
  if (access.kind === 'key') return false
  if (access.kind === 'signedIn' || access.kind === 'admin' || CLOSED.test(path)) return true
  if (method === 'GET') return false
  return CLOSED_WRITES.some((closed) => closed.test(path)) || (method === 'DELETE' && CLOSED_DELETIONS.test(path))
}
