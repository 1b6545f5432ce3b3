/** Creates an asset category or changes one: name, colour, field templates, who sees it. */

import { CheckCircle, Folder } from '@mui/icons-material'
import { Checkbox, FormControlLabel, Radio, RadioGroup, TextField } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import type { AssetCategoryNode } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { PlacesPicker } from '../../ui/tree/PlacePicker.tsx'
import { useTemplates } from './fields/useFields.ts'
import { Choice } from './parts.tsx'

const words = texts({
  en: {
    ...common.en,
    add: 'New category',
    color: 'Colour',
    colors: {
      '': 'No colour',
      '#0b6b57': 'Green',
      '#2a62b8': 'Blue',
      '#6a4bb0': 'Violet',
      '#a4262c': 'Red',
      '#b06a00': 'Orange',
      '#53605b': 'Grey',
    },
    templates: 'Field templates',
    templatesHelp:
      'Its assets have the fields of these templates. Without any, those of the category above or the standard ones.',
    standard: 'First template',
    shared: 'All members see it',
    created: 'The category was created.',
    saved: 'The category was saved.',
  },
  zh: {
    ...common.zh,
    add: '新建分类',
    color: '颜色',
    colors: {
      '': '无颜色',
      '#0b6b57': '绿色',
      '#2a62b8': '蓝色',
      '#6a4bb0': '紫色',
      '#a4262c': '红色',
      '#b06a00': '橙色',
      '#53605b': '灰色',
    },
    templates: '字段模板',
    templatesHelp: '该分类的资产使用这些模板的字段。不选则沿用上级分类或标准模板。',
    standard: '首选模板',
    shared: '所有成员可见',
    created: '分类已新建。',
    saved: '分类已保存。',
  },
})

const COLORS = ['', '#0b6b57', '#2a62b8', '#6a4bb0', '#a4262c', '#b06a00', '#53605b'] as const

interface CategoryDialogProps {
  /** Undefined: a new one. */
  category?: AssetCategoryNode
  /** The category above a new one. */
  parentId: number | null
  onClose: () => void
}

export function CategoryDialog({ category, parentId, onClose }: CategoryDialogProps) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const may = useMay()
  const templates = useTemplates()
  const [name, setName] = useState(category?.name ?? '')
  const [color, setColor] = useState(category?.color ?? '')
  const [shared, setShared] = useState(category?.shared ?? true)
  const [templateIds, setTemplateIds] = useState<readonly number[]>(category?.templateIds ?? [])
  const [first, setFirst] = useState(category?.defaultTemplateId ?? null)

  const settings = { quiet: true, onDone: onClose }
  const create = useAction('assetCategories.create', { ...settings, done: t.created })
  const update = useAction('assetCategories.update', { ...settings, done: t.saved })
  const action = category === undefined ? create : update

  const submit = () => {
    const body = {
      name,
      color: color === '' ? null : color,
      templateIds: [...templateIds],
      ...(templateIds.length > 0 && {
        defaultTemplateId: first !== null && templateIds.includes(first) ? first : templateIds[0]!,
      }),
      ...(workspace !== null && { shared }),
    }
    if (category === undefined) create.mutate({ query: ownerQuery(), body: { ...body, parentId } })
    else update.mutate({ params: { id: category.id }, query: ownerQuery(), body })
  }
  const problem = action.error?.problem('name')
  return (
    <FormDialog
      isOpen
      title={category === undefined ? t.add : category.name}
      action={category === undefined ? t.create : t.save}
      isBusy={action.isPending}
      error={action.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        required
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={problem !== undefined}
        helperText={problem}
      />
      <RadioGroup row aria-label={t.color} value={color} onChange={(event) => setColor(event.target.value)}>
        {[...COLORS, ...(color in t.colors ? [] : [color])].map((one) => (
          <Radio
            key={one}
            value={one}
            icon={<Folder sx={{ color: one === '' ? 'text.disabled' : one }} />}
            checkedIcon={<CheckCircle sx={{ color: one === '' ? 'text.secondary' : one }} />}
            slotProps={{ input: { 'aria-label': (t.colors as Readonly<Record<string, string>>)[one] ?? one } }}
          />
        ))}
      </RadioGroup>
      {may('metadata.fields') && templates.length > 0 && (
        <PlacesPicker
          label={t.templates}
          help={t.templatesHelp}
          places={templates.map((template) => ({ id: template.id, path: template.name }))}
          value={templateIds}
          onChange={setTemplateIds}
        />
      )}
      {templateIds.length > 1 && (
        <Choice
          label={t.standard}
          value={String(first ?? templateIds[0])}
          choices={templates
            .filter(({ id }) => templateIds.includes(id))
            .map((template) => ({ id: String(template.id), name: template.name }))}
          onChange={(id) => setFirst(Number(id))}
        />
      )}
      {workspace !== null && (
        <FormControlLabel
          label={t.shared}
          control={<Checkbox checked={shared} onChange={(_, isOn) => setShared(isOn)} />}
        />
      )}
    </FormDialog>
  )
}
