/** Creates or changes a field. */

import { MenuItem, TextField } from '@mui/material'
import { useState } from 'react'
import { useRefresh } from 'react-admin'

import { useAction } from '../../api/hooks.ts'
import type { MetaField } from '../../api/types.ts'
import { useChoices } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { type Config, ConfigInputs, configOf, textsOf } from './config.tsx'
import { ObjectInput, type Scoped, ScopeInput } from './shared.tsx'

const words = texts({
  en: {
    create: 'Create field',
    edit: (name: string) => `Edit the field “${name}”`,
    save: 'Save',
    created: 'The field is created.',
    saved: 'The field is changed.',
    key: 'Name in formulas, such as voltage (can be left out)',
  },
  zh: {
    create: '新建字段',
    edit: (name: string) => `编辑字段“${name}”`,
    save: '保存',
    created: '字段已创建。',
    saved: '字段已更新。',
    key: '公式中的名称，如 voltage（可不填）',
  },
})

export function FieldForm({ field, onClose }: { field: MetaField | undefined; onClose: () => void }) {
  const t = useTexts(words)
  const f = useLabels()
  const types = useChoices('fieldType')
  const refresh = useRefresh()
  const before: Config = field?.config ?? {}
  const [objectName, setObjectName] = useState(field?.objectName ?? 'asset')
  const [scope, setScope] = useState<Scoped>({ scope: 'GLOBAL', orgId: null, userId: null })
  const [name, setName] = useState(field?.name ?? '')
  const [key, setKey] = useState('')
  const [type, setType] = useState<MetaField['type']>(field?.type ?? 'TEXT')
  const [description, setDescription] = useState(field?.description ?? '')
  const [values, setValues] = useState(() => textsOf(before))
  const [isRequired, setRequired] = useState(before['required'] === true)
  const settings = {
    quiet: true,
    onDone: () => {
      onClose()
      refresh()
    },
  }
  const create = useAction('metadata.createAnyField', { ...settings, done: t.created })
  const update = useAction('metadata.updateAnyField', { ...settings, done: t.saved })
  const { error, isPending } = field === undefined ? create : update
  const problem = (path: string) => error?.problem(path)
  const submit = () => {
    const body = { name: name.trim(), type, description, config: configOf(type, values, isRequired, before) }
    if (field !== undefined) update.mutate({ params: { id: field.id }, body })
    else create.mutate({ body: { ...body, objectName, ...scope, ...(key.trim() !== '' && { key: key.trim() }) } })
  }
  return (
    <FormDialog
      isOpen
      title={field === undefined ? t.create : t.edit(field.name)}
      action={field === undefined ? t.create : t.save}
      isBusy={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {field === undefined && (
        <>
          <ObjectInput value={objectName} onChange={setObjectName} />
          <ScopeInput value={scope} onChange={setScope} problem={problem} />
        </>
      )}
      <TextField
        label={f('name')}
        value={name}
        onChange={({ target }) => setName(target.value)}
        required
        autoFocus
        error={problem('name') !== undefined}
        helperText={problem('name')}
      />
      <TextField
        select
        label={f('type')}
        value={type}
        onChange={({ target }) => setType(target.value as MetaField['type'])}
        error={problem('type') !== undefined}
        helperText={problem('type')}
      >
        {types.map((one) => (
          <MenuItem key={one.id} value={one.id}>
            {one.name}
          </MenuItem>
        ))}
      </TextField>
      <ConfigInputs
        type={type}
        values={values}
        isRequired={isRequired}
        problem={problem}
        onChange={(changed, required) => {
          setValues(changed)
          setRequired(required)
        }}
      />
      <TextField
        label={f('description')}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
        multiline
        error={problem('description') !== undefined}
        helperText={problem('description')}
      />
      {field === undefined && (
        <TextField
          label={t.key}
          value={key}
          onChange={({ target }) => setKey(target.value)}
          error={problem('key') !== undefined}
          helperText={problem('key')}
        />
      )}
    </FormDialog>
  )
}
