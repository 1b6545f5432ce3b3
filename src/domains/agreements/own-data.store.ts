import { eq } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { agreementAcceptances, agreements } from '#db/schema/agreements.ts'

export const agreementAreas: readonly DataArea[] = [
  tableArea({
    name: 'agreements',
    title: { en: 'Accepted agreements', zh: '已同意的协议' },
    forAdministrators: 'ROWS',
    from: agreementAcceptances,
    joins: [{ table: agreements, on: eq(agreements.id, agreementAcceptances.agreementId) }],
    columns: {
      type: agreements.type,
      version: agreements.version,
      title: agreements.title,
      acceptedAt: agreementAcceptances.acceptedAt,
    },
    where: (userId) => eq(agreementAcceptances.userId, userId),
    key: [agreementAcceptances.agreementId],
  }),
]
