/** Categories of the QR codes of all users. */

import { Folder } from '@mui/icons-material'

import type { AdminCategory } from '../../api/types.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { ColoredName, createdColumn, Owner, ownerColumn, ownerFilters, searchFilter, timeFilters } from './shared.tsx'

const words = texts({
  en: {
    title: 'Categories of codes',
    none: 'No categories yet',
    noneText: 'Users sort their QR codes into categories. They are listed here.',
    remove:
      'The category is deleted. Its codes are kept without a category, and the categories below it move up. This cannot be undone.',
    parent: 'Below category number',
  },
  zh: {
    title: '二维码分类',
    none: '还没有分类',
    noneText: '用户为二维码创建的分类会显示在这里。',
    remove: '该分类将被删除，其中的二维码会保留但不再属于任何分类，下级分类会上移一级。此操作无法撤销。',
    parent: '上级分类编号',
  },
})

export default function CategoryList() {
  const t = useTexts(words)
  const f = useLabels()
  return (
    <DetailTable<AdminCategory>
      title={t.title}
      filters={[searchFilter, ...ownerFilters, ...timeFilters]}
      columns={[
        { source: 'name', render: (row) => <ColoredName {...row} />, text: ({ name }) => name },
        { source: 'codeCount', render: (row) => number(row.codeCount) },
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
