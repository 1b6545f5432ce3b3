/** The part of a data export that is about API keys: without their hashes. */

import { eq, sql } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { apiKeys } from '#db/schema/api-keys.ts'

export const keyAreas: readonly DataArea[] = [
  tableArea({
    name: 'api-keys',
    title: { en: 'API keys', zh: 'API 密钥' },
    from: apiKeys,
    columns: {
      id: apiKeys.id,
      name: apiKeys.name,
      prefix: apiKeys.prefix,
      domain: apiKeys.domain,
      orgId: sql<number | null>`nullif(${apiKeys.orgId}, 0)`,
      points: apiKeys.points,
      networks: apiKeys.networks,
      mcp: apiKeys.mcp,
      expiresAt: apiKeys.expiresAt,
      lastUsedAt: apiKeys.lastUsedAt,
      lastAddress: apiKeys.lastAddress,
      createdAt: apiKeys.createdAt,
      revokedAt: apiKeys.revokedAt,
    },
    where: (userId) => eq(apiKeys.userId, userId),
    key: [apiKeys.id],
  }),
]
