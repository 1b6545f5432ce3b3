/** Fields of every scope. */

import { Add, DynamicForm, Edit } from '@mui/icons-material'

import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { Facts } from '../../ui/parts.tsx'
import { searchFilter } from '../../ui/table/filters.tsx'
import { FieldForm } from './FieldForm.tsx'
import { SCOPE_COLUMN, SCOPE_FILTERS, ScopeCell, useConfigValue, useObjectName, useObjectParts } from './shared.tsx'

const words = texts({
  en: {
    title: 'Fields',
    create: 'Create field',
    edit: 'Edit',
    none: 'No fields yet',
    noneText:
      'A field adds something of your own to assets, codes, activities or organizations, such as “voltage” or “next inspection”.',
    remove:
      'The field disappears from lists, forms and templates. Values that were entered stay stored but are no longer shown. A field that a formula of the same scope uses cannot be deleted; formulas of organizations and users no longer have a result, and their owners are notified.',
    key: 'Name in formulas',
    column: 'Column of assets',
  },
  zh: {
    title: '字段',
    create: '新建字段',
    edit: '编辑',
    none: '还没有字段',
    noneText: '字段可为资产、二维码、活动或组织增加自定义内容，如“电压”“下次检查”。',
    remove:
      '字段将从列表、表单和模板中消失；已填写的值仍会保存但不再显示。被相同范围的公式使用的字段无法删除；组织和用户的公式将不再有结果，其所有者会收到通知。',
    key: '公式中的名称',
    column: '对应的资产列',
  },
})

export default function FieldList() {
  const t = useTexts(words)
  const f = useLabels()
  const may = useMay()
  const typeOf = useEnum('fieldType')
  const objectOf = useObjectName()
  const object = useObjectParts()
  const valueOf = useConfigValue()
  const create = may('metadata.createAnyField') && (
    <DialogButton label={t.create} icon={<Add />} isNew>
      {(close) => <FieldForm field={undefined} onClose={close} />}
    </DialogButton>
  )
  return (
    <DetailTable
      operation="metadata.allFields"
      title={t.title}
      filters={[searchFilter, object.filter, { source: 'type', kind: 'enum', of: 'fieldType' }, ...SCOPE_FILTERS]}
      columns={[
        { source: 'name' },
        { source: 'type', kind: 'enum', of: 'fieldType' },
        object.column,
        SCOPE_COLUMN,
        { source: 'key', label: t.key, phone: 'hidden' },
        { source: 'createdAt', kind: 'time' },
      ]}
      nameOf={(row) => row.name}
      renderDetails={(row) => (
        <Facts
          items={[
            [f('objectName'), objectOf(row.objectName)],
            [f('type'), typeOf(row.type)],
            [f('scope'), <ScopeCell key="scope" row={row} />],
            [f('description'), row.description],
            [t.key, row.key],
            [t.column, row.entityColumn],
            ...Object.entries(row.config).map(([key, value]) => [f(key), valueOf(key, value)] as const),
            [f('createdAt'), dateTime(row.createdAt)],
            [f('updatedAt'), dateTime(row.updatedAt)],
            [f('id'), row.id],
          ]}
        />
      )}
      renderButtons={(row) =>
        may('metadata.updateAnyField') && (
          <DialogButton label={t.edit} icon={<Edit />}>
            {(close) => <FieldForm field={row} onClose={close} />}
          </DialogButton>
        )
      }
      actions={create}
      target="META_FIELD"
      removal={{ operation: 'metadata.deleteAnyField', param: 'id', text: t.remove }}
      empty={{ icon: DynamicForm, title: t.none, text: t.noneText, action: create }}
    />
  )
}
