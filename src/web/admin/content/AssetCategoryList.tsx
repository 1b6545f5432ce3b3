/** Categories of the assets of all users and organizations. */

import { FolderSpecial } from '@mui/icons-material'

import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { createdColumn, Owner, ownerColumn, ownerFilters } from './shared.tsx'

const words = texts({
  en: {
    title: 'Asset categories',
    none: 'No asset categories yet',
    noneText: 'Users and organizations sort their assets into categories, which are listed here.',
    remove:
      'The category is deleted. Its assets are kept without a category, and the categories below it move up. This cannot be undone.',
    parent: 'Parent category number',
    shared: 'Shared with organizations',
    yes: 'Yes',
  },
  zh: {
    title: '资产分类',
    none: '还没有资产分类',
    noneText: '用户和组织为资产创建的分类会显示在这里。',
    remove: '该分类将被删除，其中的资产会保留但不再属于任何分类，下级分类会上移一级。此操作无法撤销。',
    parent: '上级分类编号',
    shared: '已共享给组织',
    yes: '是',
  },
})

export default function AssetCategoryList() {
  const t = useTexts(words)
  const f = useLabels()
  const scopeOf = useEnum('categoryScope')
  return (
    <DetailTable
      operation="assetCategories.listAll"
      title={t.title}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'scope', kind: 'enum', of: 'categoryScope', always: true },
        ...ownerFilters,
        ...timeFilters,
      ]}
      columns={[
        { source: 'name', color: ({ color }) => color },
        { source: 'scope', kind: 'enum', of: 'categoryScope' },
        { source: 'assetCount', kind: 'count' },
        ownerColumn(),
        createdColumn,
      ]}
      nameOf={(row) => row.name}
      renderDetails={(row) => (
        <Facts
          items={[
            [f('scope'), scopeOf(row.scope)],
            [f('owner'), <Owner key="owner" row={row} />],
            [f('assetCount'), number(row.assetCount)],
            [t.parent, row.parentId],
            [t.shared, row.shared && t.yes],
            [f('createdAt'), dateTime(row.createdAt)],
            [f('updatedAt'), dateTime(row.updatedAt)],
            [f('id'), row.id],
          ]}
        />
      )}
      target="ASSET_CATEGORY"
      removal={{ operation: 'assetCategories.deleteAny', param: 'id', text: t.remove }}
      empty={{ icon: FolderSpecial, title: t.none, text: t.noneText }}
    />
  )
}
