/** Check-ins of all activities. */

import { HowToReg } from '@mui/icons-material'

import type { AdminCheckIn } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime, labelled, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { OrgLink } from '../../ui/UserLink.tsx'
import { ActivityLink, orgColumn, ownerFilters, Person, personColumn } from './shared.tsx'

const words = texts({
  en: {
    title: 'Check-ins',
    none: 'No check-ins yet',
    noneText: 'When users check in to an activity, each check-in is listed here.',
    remove:
      'The check-in is deleted and no longer counted in the statistics of the activity. The user can check in again. This cannot be undone.',
    metres: (n: number) => `${n} m`,
    sequence: 'Of this user in the activity',
    nth: (n: number) => `Check-in number ${n}`,
  },
  zh: {
    title: '签到记录',
    none: '还没有签到',
    noneText: '用户参加活动时的签到会显示在这里。',
    remove: '该签到将被删除且不再计入活动统计，用户可以重新签到。此操作无法撤销。',
    metres: (n: number) => `${n} 米`,
    sequence: '该用户在活动中',
    nth: (n: number) => `第 ${n} 次签到`,
  },
})

export default function CheckInList() {
  const t = useTexts(words)
  const f = useLabels()
  const methodOf = useEnum('checkInMethod')
  const distance = (row: AdminCheckIn) => (row.distance === null ? '' : t.metres(Math.round(row.distance)))
  return (
    <DetailTable
      operation="admin.checkIns.list"
      title={t.title}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'method', kind: 'enum', of: 'checkInMethod', always: true },
        { source: 'activityId', kind: 'number' },
        ...ownerFilters,
        ...timeFilters,
      ]}
      columns={[
        { source: 'activityName' },
        personColumn(f('userId')),
        { source: 'method', kind: 'enum', of: 'checkInMethod' },
        { source: 'distance', render: distance },
        orgColumn(),
        { source: 'checkedInAt', kind: 'time', sortable: 'createdAt' },
      ]}
      nameOf={(row) => labelled(row.activityName, row.nickname)}
      renderDetails={(row) => (
        <Facts
          items={[
            [f('activityName'), <ActivityLink key="activity" id={row.activityId} name={row.activityName} />],
            [f('userId'), <Person key="user" row={row} />],
            [f('method'), methodOf(row.method)],
            [f('distance'), distance(row)],
            [t.sequence, t.nth(row.sequence)],
            [f('orgId'), row.orgId !== null && <OrgLink key="org" id={row.orgId} name={row.orgName} />],
            [f('checkedInAt'), dateTime(row.checkedInAt)],
            [f('id'), number(row.id)],
          ]}
        />
      )}
      target="CHECK_IN"
      removal={{ operation: 'admin.checkIns.delete', param: 'recordId', text: t.remove }}
      empty={{ icon: HowToReg, title: t.none, text: t.noneText }}
    />
  )
}
