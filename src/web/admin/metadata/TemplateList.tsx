/** Templates of every scope: ordered lists of fields. */

import { Add, Edit, FormatListNumbered, ViewList } from '@mui/icons-material'
import { Typography } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import type { MetaTemplate } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { Facts } from '../../ui/parts.tsx'
import { searchFilter } from '../../ui/table/filters.tsx'
import { SCOPE_COLUMN, SCOPE_FILTERS, ScopeCell, useObjectName, useObjectParts } from './shared.tsx'
import { TemplateFields } from './TemplateFields.tsx'
import { TemplateForm } from './TemplateForm.tsx'

const words = texts({
  en: {
    title: 'Templates',
    create: 'Create template',
    edit: 'Edit',
    fields: 'Choose fields',
    itsFields: 'Fields in their order',
    noFields: 'The template has no fields yet. Choose some, otherwise forms show nothing of it.',
    none: 'No templates yet',
    noneText:
      'A template is an ordered list of fields, for example those of laptops. It decides which fields a form shows.',
    remove:
      'The template is deleted. Things that use it show the default template instead. Their values stay. This cannot be undone.',
    yes: 'Yes',
    no: 'No',
    required: 'required',
  },
  zh: {
    title: '模板',
    create: '新建模板',
    edit: '编辑',
    fields: '选择字段',
    itsFields: '字段及顺序',
    noFields: '还没有字段。请先选择，否则表单中不会显示任何内容。',
    none: '还没有模板',
    noneText: '模板是一组有序的字段，例如笔记本电脑的字段，决定表单显示哪些字段。',
    remove: '模板将被删除，使用它的对象会改用默认模板，已填写的值会保留。此操作无法撤销。',
    yes: '是',
    no: '否',
    required: '必填',
  },
})

export default function TemplateList() {
  const t = useTexts(words)
  const f = useLabels()
  const may = useMay()
  const objectOf = useObjectName()
  const object = useObjectParts()
  const create = may('metadata.createAnyTemplate') && (
    <DialogButton label={t.create} icon={<Add />} isNew>
      {(close) => <TemplateForm template={undefined} onClose={close} />}
    </DialogButton>
  )
  const isDefault = (row: MetaTemplate) => (row.isDefault ? t.yes : t.no)
  return (
    <DetailTable
      operation="metadata.allTemplates"
      title={t.title}
      filters={[searchFilter, object.filter, ...SCOPE_FILTERS]}
      columns={[
        { source: 'name' },
        object.column,
        SCOPE_COLUMN,
        { source: 'isDefault', render: isDefault, text: isDefault },
        { source: 'fieldCount', kind: 'count' },
        { source: 'createdAt', kind: 'time' },
      ]}
      nameOf={(row) => row.name}
      renderDetails={(row) => (
        <>
          <Facts
            items={[
              [f('objectName'), objectOf(row.objectName)],
              [f('scope'), <ScopeCell key="scope" row={row} />],
              [f('description'), row.description],
              [f('isDefault'), isDefault(row)],
              [f('createdAt'), dateTime(row.createdAt)],
              [f('updatedAt'), dateTime(row.updatedAt)],
              [f('id'), row.id],
            ]}
          />
          <Fields template={row} />
        </>
      )}
      renderButtons={(row) =>
        may('metadata.setAnyTemplateFields') && (
          <>
            <DialogButton label={t.fields} icon={<FormatListNumbered />}>
              {(close) => <TemplateFields template={row} onClose={close} />}
            </DialogButton>
            <DialogButton label={t.edit} icon={<Edit />} variant="outlined">
              {(close) => <TemplateForm template={row} onClose={close} />}
            </DialogButton>
          </>
        )
      }
      actions={create}
      target="META_TEMPLATE"
      removal={{ operation: 'metadata.deleteAnyTemplate', param: 'id', text: t.remove }}
      empty={{ icon: ViewList, title: t.none, text: t.noneText, action: create }}
    />
  )
}

function Fields({ template }: { template: MetaTemplate }) {
  const t = useTexts(words)
  const typeOf = useEnum('fieldType')
  const query = useCall('metadata.anyTemplateFields', { params: { id: template.id } })
  return (
    <>
      <Typography variant="h3">{t.itsFields}</Typography>
      <Answer query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Typography color="text.secondary">{t.noFields}</Typography>
          ) : (
            <ol style={{ margin: 0, paddingInlineStart: 24 }}>
              {items.map(({ fieldId, field, group, required }) => (
                <li key={fieldId}>
                  {field.name}{' '}
                  <Typography component="span" variant="body2" color="text.secondary">
                    {[typeOf(field.type), group, required && t.required].filter(Boolean).join(' · ')}
                  </Typography>
                </li>
              ))}
            </ol>
          )
        }
      </Answer>
    </>
  )
}
