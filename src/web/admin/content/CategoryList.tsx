/** Folders of the QR codes of all users: the categories of the API. */

import { Folder } from '@mui/icons-material'

import { useLabels } from '../../i18n/fields.ts'
import { dateTime, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { createdColumn, Owner, ownerColumn, ownerFilters } from './shared.tsx'

const words = texts({
  en: {
    title: 'Code folders',
    none: 'No folders yet',
    noneText: 'Users sort their QR codes into folders. They are listed here.',
    remove:
      'The folder is deleted. Its codes are kept without a folder, and the folders in it move up. This cannot be undone.',
    parent: 'In the folder with the number',
  },
  zh: {
    title: '二维码文件夹',
    none: '还没有文件夹',
    noneText: '用户为二维码创建的文件夹会显示在这里。',
    remove: '该文件夹将被删除，其中的二维码会保留但变为未分类，子文件夹会上移一级。此操作无法撤销。',
    parent: '上级文件夹编号',
  },
})

export default function CategoryList() {
  const t = useTexts(words)
  const f = useLabels()
  return (
    <DetailTable
      operation="admin.categories.list"
      title={t.title}
      sort="-createdAt"
      filters={[searchFilter, ...ownerFilters, ...timeFilters]}
      columns={[
        { source: 'name', color: ({ color }) => color },
        { source: 'codeCount', kind: 'count' },
        ownerColumn(),
        createdColumn,
      ]}
      nameOf={(row) => row.name}
      renderDetails={(row) => (
        <Facts
          items={[
            [f('owner'), <Owner key="owner" row={row} />],
            [f('codeCount'), number(row.codeCount)],
            [t.parent, row.parentId],
            [f('createdAt'), dateTime(row.createdAt)],
            [f('id'), row.id],
          ]}
        />
      )}
      target="CATEGORY"
      removal={{ operation: 'admin.categories.delete', param: 'categoryId', text: t.remove }}
      empty={{ icon: Folder, title: t.none, text: t.noneText }}
    />
  )
}
