import { and, eq } from 'drizzle-orm'

import { type DataArea, isOwnOrganization, tableArea } from '#db/data-areas.ts'
import { orgShares } from '#db/schema/shares.ts'

export const shareAreas: readonly DataArea[] = [
  tableArea({
    name: 'shares',
    title: { en: 'Shared with organizations', zh: '共享给组织的内容' },
    from: orgShares,
    columns: {
      id: orgShares.id,
      orgId: orgShares.orgId,
      entityType: orgShares.entityType,
      sourceId: orgShares.sourceId,
      createdAt: orgShares.createdAt,
    },
    where: (userId) => and(isOwnOrganization(orgShares.orgId, userId), eq(orgShares.sharedBy, userId)),
    key: [orgShares.id],
  }),
]
