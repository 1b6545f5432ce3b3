/** Activities of all users and organizations. */

import { Event } from '@mui/icons-material'

import type { AdminActivityItem } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { AdminTable } from '../../ui/AdminTable.tsx'
import { EmptyState } from '../../ui/Answer.tsx'
import { BulkDelete } from '../../ui/DetailTable.tsx'
import { EnumInput } from '../../ui/enums.tsx'
import { EnumStatus } from '../../ui/Status.tsx'
import { CreateActivity, deletion } from './activity-words.tsx'
import { createdColumn, ownerColumn, ownerFilters, searchFilter, timeFilters } from './shared.tsx'

const words = texts({
  en: {
    title: 'Activities',
    none: 'No activities yet',
    noneText: 'Activities of all users and organizations are listed here. You can also create one for somebody.',
  },
  zh: {
    title: '活动',
    none: '还没有活动',
    noneText: '所有用户和组织的活动会显示在这里，你也可以代为创建。',
  },
})

export default function ActivityList() {
  const t = useTexts(words)
  const { text } = useTexts(deletion)
  const may = useMay()
  const removal = { operation: 'admin.activities.delete', param: 'activityId', text } as const
  const statusOf = useEnum('activityStatus')
  const visibilityOf = useEnum('activityVisibility')
  return (
    <AdminTable<AdminActivityItem>
      title={t.title}
      sort={{ field: 'createdAt', order: 'DESC' }}
      filters={[
        searchFilter,
        <EnumInput key="status" source="status" of="activityStatus" alwaysOn />,
        <EnumInput key="visibility" source="visibility" of="activityVisibility" />,
        <EnumInput key="ownerType" source="ownerType" of="ownerType" />,
        ...ownerFilters,
        ...timeFilters,
      ]}
      columns={[
        { source: 'name' },
        {
          source: 'status',
          render: (row) => <EnumStatus of="activityStatus" value={row.status} />,
          text: (row) => statusOf(row.status),
        },
        {
          source: 'visibility',
          render: (row) => visibilityOf(row.visibility),
          text: (row) => visibilityOf(row.visibility),
          phone: 'hidden',
        },
        ownerColumn(),
        { source: 'startTime', render: (row) => dateTime(row.startTime) },
        { source: 'location', phone: 'hidden' },
        createdColumn,
      ]}
      {...(may(removal.operation) && {
        bulk: <BulkDelete removal={removal} nameOf={(row: AdminActivityItem) => row.name} />,
      })}
      empty={<EmptyState icon={Event} title={t.none} text={t.noneText} action={<CreateActivity />} />}
    />
  )
}
