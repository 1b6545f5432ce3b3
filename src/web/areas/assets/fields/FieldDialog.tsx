/** Creates a metadata field or changes one, with a preview of its input. Administrators use the form for fields of every scope. */

import { Box, Checkbox, FormControlLabel, Paper, TextField, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'

import type { ApiError } from '../../../api/errors.ts'
import { useAction } from '../../../api/hooks.ts'
import type { InputOf, MetaField } from '../../../api/types.ts'
import { common } from '../../../i18n/common.ts'
import { useChoices } from '../../../i18n/enums.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useSession } from '../../../session/session.ts'
import { FormDialog } from '../../../ui/dialogs.tsx'
import { Choice } from '../parts.tsx'
import { ConfigInputs } from './ConfigInputs.tsx'
import { FieldInput } from './FieldInput.tsx'
import { type FieldConfig, type FieldSpec, type FieldType, isEmpty, toRequest } from './model.ts'

const words = texts({
  en: {
    ...common.en,
    add: 'New field',
    created: 'The field was created.',
    saved: 'The field was saved.',
    type: 'Type',
    typeHelp: 'The type can change only if all stored values fit the new one.',
    key: 'Key for formulas',
    keyHelp: 'Letters, digits and _. It never changes. Generated if left empty.',
    group: 'Heading in forms',
    help: 'Help below the input',
    placeholder: 'Example in the empty input',
    required: 'Required',
    preview: 'Preview',
    default: 'The value that you enter here becomes the default.',
  },
  zh: {
    ...common.zh,
    add: '新建字段',
    created: '字段已新建。',
    saved: '字段已保存。',
    type: '类型',
    typeHelp: '仅当所有已存的值都符合新类型时才能更改。',
    key: '公式中的键',
    keyHelp: '字母、数字和下划线，创建后不可更改；留空则自动生成。',
    group: '表单中的分组标题',
    help: '输入框下方的提示',
    placeholder: '空输入框中的示例',
    required: '必填',
    preview: '预览',
    default: '在此输入的内容将作为默认值。',
  },
})

/** Types whose inputs can have a default value. */
const WITH_DEFAULT: ReadonlySet<FieldType> = new Set([
  'TEXT',
  'TEXTAREA',
  'NUMBER',
  'BOOLEAN',
  'DATE',
  'DATETIME',
  'SELECT',
  'RADIO',
  'MULTI_SELECT',
  'CHECKBOX',
])
const WITH_PLACEHOLDER: ReadonlySet<FieldType> = new Set(['TEXT', 'TEXTAREA', 'NUMBER'])

interface FieldDialogProps {
  objectName: string
  field?: MetaField
  /** Whose keys formulas can name. */
  siblings: readonly MetaField[]
  onClose: () => void
}

/** For fields of the workspace. */
export function FieldDialog({ objectName, field, siblings, onClose }: FieldDialogProps) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const settings = { quiet: true, onDone: onClose, done: field === undefined ? t.created : t.saved }
  const createOwn = useAction('metadata.createField', settings)
  const createOfOrg = useAction('metadata.createOrgField', settings)
  const updateOwn = useAction('metadata.updateField', settings)
  const updateOfOrg = useAction('metadata.updateOrgField', settings)
  const action =
    field === undefined ? (workspace === null ? createOwn : createOfOrg) : workspace === null ? updateOwn : updateOfOrg
  const submit = (body: FieldBody) => {
    const orgId = workspace?.id ?? 0
    if (field === undefined) {
      if (workspace === null) createOwn.mutate({ params: { objectName }, body })
      else createOfOrg.mutate({ params: { objectName, orgId }, body })
      return
    }
    const params = { objectName, id: field.id }
    if (workspace === null) updateOwn.mutate({ params, body })
    else updateOfOrg.mutate({ params: { ...params, orgId }, body })
  }
  return (
    <FieldForm
      field={field}
      siblings={siblings}
      error={action.error}
      isBusy={action.isPending}
      onSubmit={submit}
      onClose={onClose}
    />
  )
}

export type FieldBody = InputOf<'metadata.createField'>['body']

interface FieldFormProps {
  field: MetaField | undefined
  siblings: readonly MetaField[]
  error: ApiError | null
  isBusy: boolean
  onSubmit: (body: FieldBody) => void
  onClose: () => void
  /** Inputs before those of the field. */
  children?: ReactNode
}

export function FieldForm({ field, siblings, error, isBusy, onSubmit, onClose, children }: FieldFormProps) {
  const t = useTexts(words)
  const types = useChoices('fieldType')
  const [name, setName] = useState(field?.name ?? '')
  const [type, setType] = useState<FieldType>(field?.type ?? 'TEXT')
  const [key, setKey] = useState('')
  const [description, setDescription] = useState(field?.description ?? '')
  const [config, setConfig] = useState((field?.config ?? {}) as FieldConfig)

  const set = (part: Partial<FieldConfig>) => setConfig((now) => ({ ...now, ...part }))
  const spec: FieldSpec = {
    fieldId: field?.id ?? 0,
    key,
    name: name || t.preview,
    type,
    config,
    column: null,
    group: '',
    required: config.required === true,
    writable: true,
    inForce: true,
  }
  const submit = () => {
    const standard = WITH_DEFAULT.has(type) ? toRequest(spec, config.default) : null
    const resultType = type === 'COMPUTED' ? (config.resultType ?? 'NUMBER') : undefined
    const entries = Object.entries({ ...config, resultType, default: standard }).filter(([, value]) => !isEmpty(value))
    onSubmit({ name, type, description, config: Object.fromEntries(entries), ...(key !== '' && { key }) })
  }
  const problem = (path: string) => error?.problem(path)
  const text = (part: 'group' | 'help' | 'placeholder') => (
    <TextField
      label={t[part]}
      value={config[part] ?? ''}
      onChange={(event) => set({ [part]: event.target.value })}
      error={problem(`config.${part}`) !== undefined}
      helperText={problem(`config.${part}`)}
    />
  )
  return (
    <FormDialog
      isOpen
      maxWidth="md"
      title={field === undefined ? t.add : field.name}
      action={field === undefined ? t.create : t.save}
      isBusy={isBusy}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Box
        sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' } }}
      >
        {children}
        <TextField
          label={t.name}
          required
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={problem('name') !== undefined}
          helperText={problem('name')}
        />
        <Choice
          label={t.type}
          value={type}
          choices={types}
          onChange={(next) => {
            setType(next as FieldType)
            // Limits of numbers are no limits of dates.
            set({ default: undefined, min: undefined, max: undefined })
          }}
          error={problem('type')}
          help={field === undefined ? undefined : t.typeHelp}
        />
        <ConfigInputs type={type} config={config} onChange={set} problem={problem} siblings={siblings} />
        {text('group')}
        {text('help')}
        {WITH_PLACEHOLDER.has(type) && text('placeholder')}
        <TextField
          label={t.description}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
          error={problem('description') !== undefined}
          helperText={problem('description')}
        />
        {field === undefined && (
          <TextField
            label={t.key}
            value={key}
            onChange={(event) => setKey(event.target.value)}
            error={problem('key') !== undefined}
            helperText={problem('key') ?? t.keyHelp}
          />
        )}
      </Box>
      {type !== 'COMPUTED' && (
        <FormControlLabel
          label={t.required}
          control={<Checkbox checked={config.required === true} onChange={(_, isOn) => set({ required: isOn })} />}
        />
      )}
      {WITH_DEFAULT.has(type) && (
        <Paper variant="outlined" sx={{ p: 2 }}>
          <Typography variant="h3">{t.preview}</Typography>
          <Typography variant="body2" color="text.secondary" sx={{ mb: 1.5 }}>
            {t.default}
          </Typography>
          <FieldInput
            spec={{ ...spec, required: false }}
            value={config.default}
            onChange={(change) => setConfig((now) => ({ ...now, default: change(now.default) }))}
            error={problem('config.default')}
          />
        </Paper>
      )}
    </FormDialog>
  )
}
