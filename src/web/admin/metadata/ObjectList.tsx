/** The object types that can have fields. Each can be disabled, and further ones registered. */

import { Add, Category } from '@mui/icons-material'
import { Button, TextField } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import type { MetaObject } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { ConfirmDialog, FormDialog } from '../../ui/dialogs.tsx'
import { Facts } from '../../ui/parts.tsx'
import { Status } from '../../ui/Status.tsx'
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
      renderButtons={(row) => may('metadata.setObjectStatus') && <Toggle row={row} />}
      actions={may('metadata.createObject') && <Register />}
      empty={{ icon: Category, title: t.none, text: t.noneText, action: <Register /> }}
    />
  )
}

function Toggle({ row }: { row: MetaObject }) {
  const t = useTexts(words)
  const nameOf = useObjectName()
  const [isOpen, setOpen] = useState(false)
  const action = useAction('metadata.setObjectStatus', {
    quiet: true,
    done: t.done,
    onDone: () => setOpen(false),
  })
  const name = nameOf(row.name)
  return (
    <>
      <Button variant="outlined" {...(row.enabled && { color: 'error' })} onClick={() => setOpen(true)}>
        {row.enabled ? t.disable : t.enable}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={row.enabled ? t.askDisable(name) : t.askEnable(name)}
        text={row.enabled ? t.disableText : t.enableText}
        action={row.enabled ? t.disable : t.enable}
        isBusy={action.isPending}
        error={action.error}
        onConfirm={() => action.mutate({ params: { objectName: row.name }, body: { enabled: !row.enabled } })}
        onClose={() => setOpen(false)}
      />
    </>
  )
}

function Register() {
  const t = useTexts(words)
  const f = useLabels()
  const [isOpen, setOpen] = useState(false)
  const [values, setValues] = useState({ name: '', label: '', description: '' })
  const action = useAction('metadata.createObject', {
    quiet: true,
    done: t.registered,
    onDone: () => {
      setOpen(false)
      setValues({ name: '', label: '', description: '' })
    },
  })
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onChange: ({ target }: { target: { value: string } }) =>
      setValues((before) => ({ ...before, [name]: target.value })),
    error: action.error?.problem(name) !== undefined,
    helperText: action.error?.problem(name),
  })
  return (
    <>
      <Button variant="contained" size="small" startIcon={<Add />} onClick={() => setOpen(true)} data-create>
        {t.register}
      </Button>
      <FormDialog
        isOpen={isOpen}
        title={t.registerTitle}
        action={t.register}
        isBusy={action.isPending}
        error={action.error}
        onSubmit={() => action.mutate({ body: values })}
        onClose={() => setOpen(false)}
      >
        <TextField {...field('name')} label={t.name} required autoFocus />
        <TextField {...field('label')} label={t.label} required />
        <TextField {...field('description')} label={f('description')} multiline minRows={2} />
      </FormDialog>
    </>
  )
}
