/** The object types that can have fields. Each can be disabled, and further ones registered. */

import { Add, Category } from '@mui/icons-material'
import { TextField } from '@mui/material'

import type { MetaObject } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { Facts } from '../../ui/parts.tsx'
import { Status } from '../../ui/Status.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { useObjectName } from './shared.tsx'

const words = texts({
  en: {
    title: 'Object types',
    none: 'No object types',
    noneText: 'Register an object type to define fields for it.',
    register: 'Register',
    registerTitle: 'Register an object type',
    name: 'Name in the interface, such as vehicle',
    label: 'Label',
    registered: 'The object type is registered.',
    enable: 'Enable',
    disable: 'Disable',
    enabled: 'Enabled',
    disabled: 'Disabled',
    askEnable: (name: string) => `Enable “${name}”?`,
    askDisable: (name: string) => `Disable “${name}”?`,
    enableText: 'Its fields, templates and values are there again for everybody.',
    disableText:
      'Users no longer find its fields, templates and values. Nothing is deleted, and you can enable it again.',
    done: 'The object type is changed.',
    builtIn: 'On every server',
    yes: 'Yes',
    columns: 'Fixed columns',
  },
  zh: {
    title: '对象类型',
    none: '没有对象类型',
    noneText: '注册对象类型后即可为其定义字段。',
    register: '注册',
    registerTitle: '注册对象类型',
    name: '接口中的名称，如 vehicle',
    label: '显示名称',
    registered: '对象类型已注册。',
    enable: '启用',
    disable: '停用',
    enabled: '已启用',
    disabled: '已停用',
    askEnable: (name: string) => `启用“${name}”？`,
    askDisable: (name: string) => `停用“${name}”？`,
    enableText: '其字段、模板和值将重新对所有人可用。',
    disableText: '用户将看不到其字段、模板和值。不会删除任何内容，可随时重新启用。',
    done: '对象类型已更新。',
    builtIn: '内置',
    yes: '是',
    columns: '固定列',
  },
})

export default function ObjectList() {
  const t = useTexts(words)
  const f = useLabels()
  const may = useMay()
  const nameOf = useObjectName()
  const typeOf = useEnum('fieldType')
  const state = ({ enabled }: { enabled: boolean }) => (enabled ? t.enabled : t.disabled)
  return (
    <DetailTable
      operation="metadata.allObjects"
      title={t.title}
      keyOf={({ name }) => name}
      columns={[
        { source: 'label', render: (row) => nameOf(row.name), text: (row) => nameOf(row.name) },
        { source: 'name' },
        {
          source: 'enabled',
          render: (row) => <Status tone={row.enabled ? 'good' : 'neutral'} text={state(row)} />,
          text: state,
        },
        { source: 'fieldCount', kind: 'count' },
      ]}
      nameOf={(row) => nameOf(row.name)}
      renderDetails={(row) => (
        <Facts
          items={[
            [f('name'), row.name],
            [f('status'), state(row)],
            [f('description'), row.description],
            [t.builtIn, row.builtIn && t.yes],
            [f('fieldCount'), row.fieldCount],
            [t.columns, row.entityColumns.map(({ column, type }) => `${column} (${typeOf(type)})`).join('\n')],
          ]}
        />
      )}
      renderButtons={(row) => <Toggle row={row} />}
      actions={may('metadata.createObject') && <Register />}
      empty={{ icon: Category, title: t.none, text: t.noneText, action: <Register /> }}
    />
  )
}

function Toggle({ row: { name: objectName, enabled } }: { row: MetaObject }) {
  const t = useTexts(words)
  const name = useObjectName()(objectName)
  return (
    <ActionButton
      key={String(enabled)}
      operation="metadata.setObjectStatus"
      input={{ params: { objectName }, body: { enabled: !enabled } }}
      label={enabled ? t.disable : t.enable}
      title={enabled ? t.askDisable(name) : t.askEnable(name)}
      text={enabled ? t.disableText : t.enableText}
      done={t.done}
      color={enabled ? 'error' : 'primary'}
      variant="outlined"
    />
  )
}

const Register = () => (
  <DialogButton label={useTexts(words).register} icon={<Add />} isNew>
    {(close) => <RegisterDialog onClose={close} />}
  </DialogButton>
)

function RegisterDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'metadata.createObject',
    { name: '', label: '', description: '' },
    { done: t.registered, onDone: onClose },
  )
  return (
    <FormDialog form={form} title={t.registerTitle} action={t.register} onClose={onClose}>
      <TextField {...form.text('name', { label: t.name })} autoFocus />
      <TextField {...form.text('label', { label: t.label })} />
      <TextField {...form.text('description')} multiline minRows={2} />
    </FormDialog>
  )
}
