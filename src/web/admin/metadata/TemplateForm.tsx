/** Creates a template, or changes its name, its description and whether it is the default. */

import { Alert, FormControlLabel, Switch, TextField } from '@mui/material'
import { useState } from 'react'
import { useRefresh } from 'react-admin'

import { useAction, useCall } from '../../api/hooks.ts'
import type { MetaTemplate } from '../../api/types.ts'
import { useLabels } from '../../i18n/fields.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
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

export function TemplateForm({ template, onClose }: { template: MetaTemplate | undefined; onClose: () => void }) {
  const t = useTexts(words)
  const f = useLabels()
  const refresh = useRefresh()
  const [objectName, setObjectName] = useState(template?.objectName ?? 'asset')
  const [scope, setScope] = useState<Scoped>({ scope: 'GLOBAL', orgId: null, userId: null })
  const [name, setName] = useState(template?.name ?? '')
  const [description, setDescription] = useState(template?.description ?? '')
  const [isDefault, setDefault] = useState(template?.isDefault ?? false)
  const existing = useCall(
    'metadata.templatesOfOrg',
    { params: { orgId: scope.orgId ?? 0 }, query: { objectName, size: 20 } },
    { enabled: scope.orgId !== null },
  )
  const settings = {
    quiet: true,
    onDone: () => {
      onClose()
      refresh()
    },
  }
  const create = useAction('metadata.createAnyTemplate', { ...settings, done: t.created })
  const update = useAction('metadata.updateAnyTemplate', { ...settings, done: t.saved })
  const { error, isPending } = template === undefined ? create : update
  const problem = (path: string) => error?.problem(path)
  const submit = () => {
    const body = { name: name.trim(), description, isDefault }
    if (template !== undefined) update.mutate({ params: { id: template.id }, body })
    else create.mutate({ body: { ...body, objectName, ...scope } })
  }
  return (
    <FormDialog
      isOpen
      title={template === undefined ? t.create : t.edit(template.name)}
      action={template === undefined ? t.create : t.save}
      isBusy={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {template === undefined && (
        <>
          <ObjectInput value={objectName} onChange={setObjectName} />
          <ScopeInput value={scope} onChange={setScope} problem={problem} />
          {scope.orgId !== null && existing.data !== undefined && existing.data.items.length > 0 && (
            <Alert severity="info">{t.has(existing.data.items.map((one) => one.name).join(', '))}</Alert>
          )}
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
        label={f('description')}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
        multiline
        error={problem('description') !== undefined}
        helperText={problem('description')}
      />
      <FormControlLabel
        control={<Switch checked={isDefault} onChange={(_, checked) => setDefault(checked)} />}
        label={t.isDefault}
      />
    </FormDialog>
  )
}
