/** Chooses the fields of a template, their order, the headings above them, and which of them are required. */

import { ArrowDownward, ArrowUpward, Close } from '@mui/icons-material'
import { Autocomplete, Card, FormControlLabel, IconButton, Stack, Switch, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { call } from '../../api/client.ts'
import { useCall } from '../../api/hooks.ts'
import type { MetaField, MetaTemplate, MetaTemplateFields } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: (name: string) => `Fields of “${name}”`,
    save: 'Save fields',
    saved: 'The fields of the template are changed.',
    add: 'Add a field',
    none: 'There is no other field.',
    empty: 'No fields yet. Add the first one below.',
    group: 'Heading',
    required: 'Required',
    up: (name: string) => `Move ${name} up`,
    down: (name: string) => `Move ${name} down`,
    remove: (name: string) => `Remove ${name}`,
  },
  zh: {
    title: (name: string) => `“${name}”的字段`,
    save: '保存字段',
    saved: '模板的字段已更新。',
    add: '添加字段',
    none: '没有其他字段。',
    empty: '还没有字段，请在下方添加。',
    group: '分组标题',
    required: '必填',
    up: (name: string) => `上移 ${name}`,
    down: (name: string) => `下移 ${name}`,
    remove: (name: string) => `移除 ${name}`,
  },
})

export function TemplateFields({ template, onClose }: { template: MetaTemplate; onClose: () => void }) {
  const query = useCall('metadata.anyTemplateFields', { params: { id: template.id } })
  return <Answer query={query}>{({ items }) => <Editor template={template} items={items} onClose={onClose} />}</Answer>
}

interface EditorProps {
  template: MetaTemplate
  items: MetaTemplateFields['items']
  onClose: () => void
}

interface Row {
  readonly field: MetaField
  readonly group: string
  readonly required: boolean
}

const rowsOf = (items: MetaTemplateFields['items']): readonly Row[] =>
  items.map(({ field, group, required }) => ({ field, group, required }))

function Editor({ template, items, onClose }: EditorProps) {
  const t = useTexts(words)
  const form = useForm(
    'metadata.setAnyTemplateFields',
    { items: rowsOf(items) },
    {
      from: {
        version: template.version,
        async values() {
          const now = await call('metadata.anyTemplateFields', { params: { id: template.id } })
          return { items: rowsOf(now.items) }
        },
      },
      done: t.saved,
      refreshes: ['metadata', 'operationLog'],
      input: ({ items: rows }) => ({
        params: { id: template.id },
        body: {
          items: rows.map(({ field, group, required }) => ({
            fieldId: field.id,
            group: group.trim() || null,
            required,
          })),
        },
      }),
      onDone: onClose,
    },
  )
  const { items: rows } = form.values
  const setRows = (next: readonly Row[]) => form.set({ items: next })
  const change = (i: number, changed: Partial<Row>) =>
    setRows(rows.map((row, at) => (at === i ? { ...row, ...changed } : row)))
  const move = (i: number, by: 1 | -1) => {
    const moved = [...rows]
    moved.splice(i + by, 0, ...moved.splice(i, 1))
    setRows(moved)
  }
  return (
    <FormDialog form={form} title={t.title(template.name)} action={t.save} onClose={onClose} maxWidth="md">
      {rows.length === 0 && <Typography color="text.secondary">{t.empty}</Typography>}
      {rows.map(({ field, group, required }, i) => (
        <Card key={field.id} variant="outlined" sx={{ p: 1.5 }}>
          <Stack direction="row" useFlexGap spacing={1} sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
            <Typography sx={{ flex: 1, minWidth: 140, overflowWrap: 'anywhere' }}>{field.name}</Typography>
            <TextField
              label={t.group}
              value={group}
              onChange={({ target }) => change(i, { group: target.value })}
              sx={{ width: 180 }}
            />
            <FormControlLabel
              control={<Switch checked={required} onChange={(_, checked) => change(i, { required: checked })} />}
              label={t.required}
            />
            <IconButton aria-label={t.up(field.name)} disabled={i === 0} onClick={() => move(i, -1)}>
              <ArrowUpward />
            </IconButton>
            <IconButton aria-label={t.down(field.name)} disabled={i === rows.length - 1} onClick={() => move(i, 1)}>
              <ArrowDownward />
            </IconButton>
            <IconButton aria-label={t.remove(field.name)} onClick={() => setRows(rows.filter((_, at) => at !== i))}>
              <Close />
            </IconButton>
          </Stack>
        </Card>
      ))}
      <AddField
        template={template}
        taken={rows.map(({ field }) => field.id)}
        onAdd={(field) => setRows([...rows, { field, group: '', required: false }])}
      />
    </FormDialog>
  )
}

interface AddFieldProps {
  template: MetaTemplate
  taken: readonly number[]
  onAdd: (field: MetaField) => void
}

/** Offers the fields for everybody, and in a template of an organization or a user also those of the same owner. */
function AddField({ template, taken, onAdd }: AddFieldProps) {
  const t = useTexts(words)
  const typeOf = useEnum('fieldType')
  const [keyword, setKeyword] = useState('')
  const { objectName, scope, orgId, userId } = template
  const search = { objectName, size: 50, ...(keyword.trim() !== '' && { keyword: keyword.trim() }) }
  const shared = useCall('metadata.allFields', { query: { ...search, scope: 'GLOBAL' } }, { keepPrevious: true })
  const own = useCall(
    'metadata.allFields',
    { query: { ...search, scope, ...(orgId !== null && { orgId }), ...(userId !== null && { userId }) } },
    { enabled: scope !== 'GLOBAL', keepPrevious: true },
  )
  // In a template for everybody both are the same query.
  const all = scope === 'GLOBAL' ? shared.data?.items : [...(own.data?.items ?? []), ...(shared.data?.items ?? [])]
  const options = (all ?? []).filter(({ id }) => !taken.includes(id))
  return (
    <Autocomplete
      // A new input for each added field, without the text of the one before.
      key={taken.length}
      value={null}
      options={options}
      filterOptions={(found) => found}
      getOptionLabel={({ name }) => name}
      getOptionKey={({ id }) => id}
      noOptionsText={t.none}
      onChange={(_, field) => {
        if (field === null) return
        setKeyword('')
        onAdd(field)
      }}
      onInputChange={(_, text, reason) => setKeyword(reason === 'input' ? text : '')}
      renderOption={({ key, ...rest }, field) => (
        <li key={key} {...rest}>
          <span>
            {field.name}
            <Typography component="span" variant="caption" color="text.secondary" sx={{ display: 'block' }}>
              {typeOf(field.type)}
            </Typography>
          </span>
        </li>
      )}
      renderInput={(params) => <TextField {...params} label={t.add} />}
    />
  )
}
