import { sql } from 'drizzle-orm'

import { col, index, table, uniqueIndex } from '../dialect.ts'
import type { PermissionDomain } from './access.ts'

/** Which tools of the MCP endpoint a key may use. In ascending order. */
export const MCP_USES = ['OFF', 'READ', 'WRITE'] as const
export type McpUse = (typeof MCP_USES)[number]

/** Keys with which programs ask in the name of a user, limited to some permission points. */
export const apiKeys = table(
  'api_keys',
  {
    id: col.id(),
    /** Rows of users are never deleted, so a foreign key would only lock their table while it is added. */
    userId: col.int('user_id').notNull(),
    name: col.text('name').notNull(),
    /** The first characters of the key, by which its owner recognizes it. */
    prefix: col.text('prefix').notNull(),
    /** SHA-256 of the whole key, which is stored nowhere. */
    keyHash: col.text('key_hash').notNull(),
    domain: col.text('domain').$type<PermissionDomain>().notNull(),
    /** 0 unless the domain is ORG. */
    orgId: col.int('org_id').notNull(),
    /** Names of permission points (`resource:action`). A request may use those of them that the user holds at that moment. */
    points: col.json<readonly string[]>('points').notNull(),
    /** CIDR ranges from which the key is taken; empty for all. */
    networks: col.json<readonly string[]>('networks').notNull(),
    mcp: col.text('mcp').$type<McpUse>().notNull(),
    expiresAt: col.time('expires_at').notNull(),
    /** When the owner was notified that the key will expire. */
    toldAt: col.time('told_at'),
    /** Written once a minute at most. */
    lastUsedAt: col.time('last_used_at'),
    lastAddress: col.text('last_address'),
    createdAt: col.time('created_at').notNull(),
    revokedAt: col.time('revoked_at'),
  },
  (t) => [
    uniqueIndex('api_keys_hash').on(t.keyHash),
    index('api_keys_user').on(t.userId, t.id),
    index('api_keys_org').on(t.orgId, t.id),
    index('api_keys_expiry').on(t.expiresAt),
    index('api_keys_untold')
      .on(t.expiresAt)
      .where(sql`${t.toldAt} is null and ${t.revokedAt} is null`),
    index('api_keys_revoked')
      .on(t.revokedAt)
      .where(sql`${t.revokedAt} is not null`),
  ],
)
