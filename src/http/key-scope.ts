/**
 * The limits of the API key with which a request is made. Services check permissions by the id of a user, also for things that the record
 * of an operation does not name; the domain of permissions finds the key by the asynchronous context and takes away what the key does not
 * allow (ADR 0055). So no service can forget it.
 */

import type { AsyncLocalStorage } from 'node:async_hooks'

import type { PermissionDomain } from '#db/schema/access.ts'
import type { McpUse } from '#db/schema/api-keys.ts'
import { type Scope, scopes } from '#platform/spans.ts'

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
