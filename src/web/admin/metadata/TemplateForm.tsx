/** Creates a template, or changes its name, its description and whether it is the default. */

import { Alert, TextField } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import type { MetaTemplate } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { ObjectInput, type Scoped, ScopeInput } from './shared.tsx'

const words = texts({
  en: {
    create: 'Create template',
    edit: (name: string) => `Edit the template “${name}”`,
    save: 'Save',
    created: 'The template is created. Choose its fields next.',
    saved: 'The template is changed.',
    isDefault: 'Default: for all things without another template',
    has: (names: string) => `The organization has these templates already: ${names}.`,
  },
  zh: {
    create: '新建模板',
    edit: (name: string) => `编辑模板“${name}”`,
    save: '保存',
    created: '模板已创建，请接着选择字段。',
    saved: '模板已更新。',
    isDefault: '默认：用于没有其他模板的对象',
    has: (names: string) => `该组织已有模板：${names}。`,
  },
})

const EVERYBODY: Scoped = { scope: 'GLOBAL', orgId: null, userId: null }

const valuesOf = (template: MetaTemplate | undefined) => ({
  name: template?.name ?? '',
  description: template?.description ?? '',
  isDefault: template?.isDefault ?? false,
  objectName: template?.objectName ?? 'asset',
  ...EVERYBODY,
})

export function TemplateForm({ template, onClose }: { template: MetaTemplate | undefined; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    template === undefined ? 'metadata.createAnyTemplate' : 'metadata.updateAnyTemplate',
    () => valuesOf(template),
    {
      from: template && { version: template.version, values: valuesOf },
      done: template === undefined ? t.created : t.saved,
      refreshes: ['metadata', 'operationLog'],
      input: ({ name, description, isDefault, ...owner }) => ({
        params: { id: template?.id ?? 0 },
        body: { name, description, isDefault, ...(template === undefined && owner) },
      }),
      onDone: onClose,
    },
  )
  const { orgId, objectName } = form.values
  const existing = useCall(
    'metadata.templatesOfOrg',
    { params: { orgId: orgId ?? 0 }, query: { objectName, size: 20 } },
    { enabled: orgId !== null },
  )
  return (
    <FormDialog
      form={form}
      title={template === undefined ? t.create : t.edit(template.name)}
      action={template === undefined ? t.create : t.save}
      onClose={onClose}
    >
      {template === undefined && (
        <>
          <ObjectInput {...form.pick('objectName')} />
          <ScopeInput value={form.values} onChange={form.set} problem={form.problem} />
          {orgId !== null && existing.data !== undefined && existing.data.items.length > 0 && (
            <Alert severity="info">{t.has(existing.data.items.map((one) => one.name).join(', '))}</Alert>
          )}
        </>
      )}
      <TextField {...form.text('name')} autoFocus />
      <TextField {...form.text('description')} multiline />
      <CheckField {...form.check('isDefault', { label: t.isDefault })} />
    </FormDialog>
  )
}
