/** Codes and photos that users have shared with organizations. */

import { FolderShared } from '@mui/icons-material'

import type { AdminShare } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { EnumInput } from '../../ui/enums.tsx'
import { Facts } from '../../ui/parts.tsx'
import { OrgLink } from '../../ui/UserLink.tsx'
import { createdColumn, orgColumn, ownerFilters, ownerName, Person, searchFilter, timeFilters } from './shared.tsx'

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
  const sharer = (row: AdminShare) => ownerName({ ...row, orgName: null })
  return (
    <DetailTable<AdminShare>
      title={t.title}
      filters={[
        searchFilter,
        <EnumInput key="entityType" source="entityType" of="shareType" label={f('contentType')} alwaysOn />,
        ...ownerFilters,
        ...timeFilters,
      ]}
      columns={[
        { source: 'name' },
        {
          source: 'entityType',
          label: f('contentType'),
          render: (row) => kindOf(row.entityType),
          text: (row) => kindOf(row.entityType),
        },
        { source: 'sharedBy', render: (row) => <Person row={row} />, text: sharer },
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
