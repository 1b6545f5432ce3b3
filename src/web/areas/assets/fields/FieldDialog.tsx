/** Creates a metadata field or changes one, with a preview of its input. Administrators use the form for fields of every scope. */

import { Box, Paper, TextField, Typography } from '@mui/material'
import type { ReactNode } from 'react'

import type { BodyOf, MetaField } from '../../../api/types.ts'
import { common } from '../../../i18n/common.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useSession } from '../../../session/session.ts'
import { FormDialog } from '../../../ui/dialogs.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import { type Form, useForm } from '../../../ui/use-form.tsx'
import { ConfigInputs, configInputs } from './ConfigInputs.tsx'
import { FieldInput } from './FieldInput.tsx'
import { type FieldConfig, type FieldSpec, type FieldType, type FieldValues, isEmpty, toRequest } from './model.ts'

const words = texts({
  en: {
    ...common.en,
    add: 'New field',
    created: 'The field was created.',
    saved: 'The field was saved.',
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
  const form = useForm(
    field === undefined
      ? workspace === null
        ? 'metadata.createField'
        : 'metadata.createOrgField'
      : workspace === null
        ? 'metadata.updateField'
        : 'metadata.updateOrgField',
    () => valuesOfField(field),
    {
      done: field === undefined ? t.created : t.saved,
      from: field && { version: field.version, values: valuesOfField },
      onDone: onClose,
      input: (values) => ({
        params: { objectName, ...(field && { id: field.id }), ...(workspace && { orgId: workspace.id }) },
        body: bodyOfField(values),
      }),
    },
  )
  return <FieldForm form={form} field={field} siblings={siblings} onClose={onClose} />
}

export const valuesOfField = (field: MetaField | undefined): FieldValues => ({
  name: field?.name ?? '',
  type: field?.type ?? 'TEXT',
  key: '',
  description: field?.description ?? '',
  config: (field?.config ?? {}) as FieldConfig,
})

const specOf = ({ name, type, key, config }: FieldValues): FieldSpec => ({
  fieldId: 0,
  key,
  name,
  type,
  config,
  column: null,
  group: '',
  required: false,
  writable: true,
  inForce: true,
})

export function bodyOfField(values: FieldValues): BodyOf<'metadata.createField'> {
  const { name, type, key, description, config } = values
  const standard = WITH_DEFAULT.has(type) ? toRequest(specOf(values), config.default) : null
  const resultType = type === 'COMPUTED' ? (config.resultType ?? 'NUMBER') : undefined
  const entries = Object.entries({ ...config, resultType, default: standard }).filter(([, value]) => !isEmpty(value))
  return { name, type, description, config: Object.fromEntries(entries), ...(key !== '' && { key }) }
}

interface FieldFormProps extends Omit<FieldDialogProps, 'objectName' | 'field'> {
  form: Form<FieldValues>
  field: MetaField | undefined
  /** Inputs before those of the field. */
  children?: ReactNode
}

export function FieldForm({ form, field, siblings, onClose, children }: FieldFormProps) {
  const t = useTexts(words)
  const { name, type, config } = form.values
  const { change, text } = configInputs(form)
  const choice = form.choice('type', 'fieldType', { help: field === undefined ? undefined : t.typeHelp })
  return (
    <FormDialog
      form={form}
      maxWidth="md"
      title={field === undefined ? t.add : field.name}
      action={field === undefined ? t.create : t.save}
      onClose={onClose}
    >
      <Box
        sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' } }}
      >
        {children}
        <TextField {...form.text('name')} autoFocus />
        <TextField
          {...choice}
          required={false}
          onChange={(event) => {
            choice.onChange(event)
            // Limits of numbers are no limits of dates.
            change({ default: undefined, min: undefined, max: undefined })
          }}
        />
        <ConfigInputs form={form} siblings={siblings} />
        <TextField {...text('group', t.group)} />
        <TextField {...text('help', t.help)} />
        {WITH_PLACEHOLDER.has(type) && <TextField {...text('placeholder', t.placeholder)} />}
        <TextField {...form.text('description')} />
        {field === undefined && <TextField {...form.text('key', { label: t.key, help: t.keyHelp })} />}
      </Box>
      {type !== 'COMPUTED' && (
        <CheckField
          name="required"
          label={t.required}
          value={config.required === true}
          onChange={(required) => change({ required })}
          isBox
        />
      )}
      {WITH_DEFAULT.has(type) && (
        <Paper variant="outlined" sx={{ p: 2 }}>
          <Typography variant="h3">{t.preview}</Typography>
          <Typography variant="body2" color="text.secondary" sx={{ mb: 1.5 }}>
            {t.default}
          </Typography>
          <FieldInput
            spec={specOf({ ...form.values, name: name || t.preview })}
            value={config.default}
            onChange={(next) => form.set((now) => ({ config: { ...now.config, default: next(now.config.default) } }))}
            error={form.problem('config.default')}
          />
        </Paper>
      )}
    </FormDialog>
  )
}
