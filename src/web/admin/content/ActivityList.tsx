/** Activities of all users and organizations. */

import { Event } from '@mui/icons-material'

import type { AdminActivityItem } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { BulkDelete } from '../../ui/DetailTable.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { Table } from '../../ui/table/Table.tsx'
import { deletion } from './activity-words.ts'
import { createdColumn, ownerColumn, ownerFilters } from './shared.tsx'

const words = texts({
  en: {
    title: 'Activities',
    create: 'Create',
    none: 'No activities yet',
    noneText: 'Activities of all users and organizations are listed here. You can also create one for somebody.',
  },
  zh: {
    title: '活动',
    create: '新建',
    none: '还没有活动',
    noneText: '所有用户和组织的活动会显示在这里，你也可以代为创建。',
  },
})

export default function ActivityList() {
  const t = useTexts(words)
  const { text } = useTexts(deletion)
  const may = useMay()
  const removal = { operation: 'admin.activities.delete', param: 'activityId', text } as const
  return (
    <Table
      operation="admin.activities.list"
      title={t.title}
      create={{ to: '/admin/activities/create', needs: 'admin.activities.create', label: t.create }}
      opens={{ to: ({ id }) => `/admin/activities/${id}/show`, needs: 'admin.activities.get' }}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'status', kind: 'enum', of: 'activityStatus', always: true },
        { source: 'visibility', kind: 'enum', of: 'activityVisibility' },
        { source: 'ownerType', kind: 'enum', of: 'ownerType' },
        ...ownerFilters,
        ...timeFilters,
      ]}
      columns={[
        { source: 'name' },
        { source: 'status', kind: 'enum', of: 'activityStatus' },
        { source: 'visibility', kind: 'enum', of: 'activityVisibility', phone: 'hidden' },
        ownerColumn(),
        { source: 'startTime', kind: 'time' },
        { source: 'location', phone: 'hidden' },
        createdColumn,
      ]}
      bulk={may(removal.operation) && <BulkDelete removal={removal} nameOf={({ name }: AdminActivityItem) => name} />}
      empty={{ icon: Event, title: t.none, text: t.noneText }}
    />
  )
}
