/** Codes and photos that users have shared with organizations. */

import { FolderShared } from '@mui/icons-material'

import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { OrgLink } from '../../ui/UserLink.tsx'
import { createdColumn, orgColumn, ownerFilters, Person, personColumn } from './shared.tsx'

const words = texts({
  en: {
    title: 'Shared copies',
    none: 'Nothing was shared yet',
    noneText: 'Codes and photos that users share with an organization are listed here.',
    remove:
      'The copy of the organization is deleted permanently. The original stays with its owner. This cannot be undone.',
    original: 'Original number',
    copy: 'Copy number',
  },
  zh: {
    title: '共享副本',
    none: '还没有共享副本',
    noneText: '用户共享给组织的二维码和照片会显示在这里。',
    remove: '组织中的副本将被永久删除，原件仍归所有者。此操作无法撤销。',
    original: '原件编号',
    copy: '副本编号',
  },
})

export default function ShareList() {
  const t = useTexts(words)
  const f = useLabels()
  const kindOf = useEnum('shareType')
  return (
    <DetailTable
      operation="admin.shares.list"
      title={t.title}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'entityType', kind: 'enum', of: 'shareType', label: f('contentType'), always: true },
        ...ownerFilters,
        ...timeFilters,
      ]}
      columns={[
        { source: 'name' },
        { source: 'entityType', kind: 'enum', of: 'shareType', label: f('contentType') },
        personColumn(f('sharedBy')),
        orgColumn(),
        createdColumn,
      ]}
      nameOf={(row) => row.name}
      renderDetails={(row) => (
        <Facts
          items={[
            [f('contentType'), kindOf(row.entityType)],
            [f('sharedBy'), <Person key="by" row={row} />],
            [f('orgId'), <OrgLink key="org" id={row.orgId} name={row.orgName} />],
            [f('createdAt'), dateTime(row.createdAt)],
            [t.original, row.sourceId],
            [t.copy, row.copyId],
          ]}
        />
      )}
      target="SHARE"
      removal={{ operation: 'admin.shares.delete', param: 'shareId', text: t.remove }}
      empty={{ icon: FolderShared, title: t.none, text: t.noneText }}
    />
  )
}
