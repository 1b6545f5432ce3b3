import { and, eq } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { adminLogs } from '#db/schema/operation-log.ts'

export const logAreas: readonly DataArea[] = [
  tableArea({
    name: 'operation-log',
    title: { en: 'Changes of your account by administrators', zh: '管理员对你账号的操作' },
    forAdministrators: 'ROWS',
    from: adminLogs,
    // Without the administrator, whose username and address others do not see.
    columns: {
      id: adminLogs.id,
      action: adminLogs.action,
      before: adminLogs.before,
      after: adminLogs.after,
      createdAt: adminLogs.createdAt,
    },
    where: (userId) => and(eq(adminLogs.targetType, 'USER'), eq(adminLogs.targetId, userId)),
    key: [adminLogs.id],
  }),
  tableArea({
    name: 'operations',
    title: { en: 'Changes that you made as an administrator', zh: '你作为管理员的操作' },
    from: adminLogs,
    // The values may be those of other people.
    columns: {
      id: adminLogs.id,
      action: adminLogs.action,
      targetType: adminLogs.targetType,
      targetId: adminLogs.targetId,
      ipAddress: adminLogs.ipAddress,
      createdAt: adminLogs.createdAt,
    },
    where: (userId) => eq(adminLogs.actorId, userId),
    key: [adminLogs.id],
  }),
]
