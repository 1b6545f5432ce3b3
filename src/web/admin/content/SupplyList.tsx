/** Supplies of all users and organizations. */

import { Category } from '@mui/icons-material'

import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime, number } from '../../i18n/format.ts'
import { things } from '../../i18n/things.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { createdColumn, Owner, ownerColumn, ownerFilters } from './shared.tsx'

const words = texts({
  en: {
    title: things.supply.many.en,
    none: 'No supplies yet',
    noneText: 'Things of which users and organizations keep a number are listed here.',
    kind: 'Kind',
    number: 'Number',
    stock: 'Stock',
    lent: 'Lent',
    minimum: 'Minimum',
    target: 'Stock after an order',
    price: 'Price of one',
    supplier: 'Supplier',
    remark: 'Remark',
  },
  zh: {
    title: things.supply.many.zh,
    none: '还没有物料',
    noneText: '用户和组织按数量管理的物品会显示在这里。',
    kind: '类型',
    number: '编号',
    stock: '库存',
    lent: '借出',
    minimum: '最低库存',
    target: '补货目标',
    price: '单价',
    supplier: '供应商',
    remark: '备注',
  },
})

export default function SupplyList() {
  const t = useTexts(words)
  const f = useLabels()
  const kindOf = useEnum('supplyKind')
  return (
    <DetailTable
      operation="supplies.listAll"
      title={t.title}
      filters={[
        searchFilter,
        { source: 'kind', kind: 'enum', of: 'supplyKind', label: t.kind, always: true },
        ...ownerFilters,
        ...timeFilters,
      ]}
      columns={[
        { source: 'name' },
        { source: 'supplyNo', label: t.number },
        { source: 'kind', kind: 'enum', of: 'supplyKind', label: t.kind },
        { source: 'stock', kind: 'count', label: t.stock },
        { source: 'lent', kind: 'count', label: t.lent, phone: 'hidden' },
        ownerColumn(),
        createdColumn,
      ]}
      nameOf={(row) => row.name}
      renderDetails={(row) => (
        <Facts
          items={[
            [t.number, row.supplyNo],
            [t.kind, kindOf(row.kind)],
            [f('owner'), <Owner key="owner" row={row} />],
            [t.stock, `${number(row.stock)} ${row.unit}`],
            [t.lent, row.lent > 0 && number(row.lent)],
            [t.minimum, row.minimum !== null && number(row.minimum)],
            [t.target, row.target !== null && number(row.target)],
            [t.price, row.price],
            [t.supplier, row.supplier],
            [t.remark, row.remark],
            [f('createdAt'), dateTime(row.createdAt)],
            [f('updatedAt'), dateTime(row.updatedAt)],
            [f('id'), row.id],
          ]}
        />
      )}
      empty={{ icon: Category, title: t.none, text: t.noneText }}
    />
  )
}
