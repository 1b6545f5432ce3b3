/** Templates of passes: colour, lines below the name, validity and entries, for several activities. */

import { Add, Badge, Delete, EditOutlined } from '@mui/icons-material'
import { Box, Button, Card, CardContent, IconButton, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { PassTemplate } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { EmptyState } from '../../ui/Answer.tsx'
import { ConfirmDialog, FormDialog } from '../../ui/dialogs.tsx'
import { Page } from '../../ui/Page.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { activityWords } from './words.ts'

const words = texts({
  en: {
    title: 'Pass templates',
    create: 'New template',
    edit: (name: string) => `Edit template “${name}”`,
    editButton: (name: string) => `Edit ${name}`,
    removeButton: (name: string) => `Delete ${name}`,
    description: 'Description',
    color: 'Colour',
    fields: 'Lines below the name',
    fieldsHelp: 'One on each line, for example: Seat. The values are given when passes are issued.',
    days: 'Valid for (days)',
    daysHelp: 'Empty: until the activity ends',
    uses: 'Entries per pass',
    usesHelp: 'Empty: as set for the activity. 0: unlimited',
    saved: 'The template is saved.',
    remove: 'Delete',
    removeTitle: (name: string) => `Delete the template “${name}”?`,
    removeText: 'Passes that were issued with it stay as they are. This cannot be undone.',
    removed: 'The template is deleted.',
    empty: 'No templates yet',
    emptyText:
      'A template gives passes a colour and further lines, such as seat or table, and can be used for several activities.',
    emptyMember: 'Nobody has made a template here yet.',
    entries: (n: number) => (n === 1 ? '1 entry' : `${n} entries`),
    forDays: (n: number) => (n === 1 ? '1 day' : `${n} days`),
  },
  zh: {
    title: '通行证模板',
    create: '新建模板',
    edit: (name: string) => `编辑模板“${name}”`,
    editButton: (name: string) => `编辑 ${name}`,
    removeButton: (name: string) => `删除 ${name}`,
    description: '说明',
    color: '颜色',
    fields: '姓名下方的内容',
    fieldsHelp: '每行一项，例如：座位。具体内容在发放时填写。',
    days: '有效天数',
    daysHelp: '留空：到活动结束',
    uses: '每张可入场次数',
    usesHelp: '留空：按活动设置；0 表示不限',
    saved: '模板已保存。',
    remove: '删除',
    removeTitle: (name: string) => `删除模板“${name}”？`,
    removeText: '已发放的通行证不受影响。此操作无法撤销。',
    removed: '模板已删除。',
    empty: '还没有模板',
    emptyText: '模板可以设定通行证的颜色和座位、桌号等内容，并用于多个活动。',
    emptyMember: '这里还没有人创建模板。',
    entries: (n: number) => `${n} 次`,
    forDays: (n: number) => `${n} 天`,
  },
})

export default function PassTemplates() {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const may = useMay()
  const isManager = may('passTemplates.create')
  const [edited, setEdited] = useState<PassTemplate | 'new'>()
  const [removed, setRemoved] = useState<PassTemplate>()
  const query = usePages('passTemplates.list', { query: ownerQuery() })
  const remove = useAction('passTemplates.delete', {
    done: t.removed,
    quiet: true,
    onDone: () => setRemoved(undefined),
  })
  const create = isManager && (
    <Button variant="contained" startIcon={<Add />} onClick={() => setEdited('new')} data-create>
      {t.create}
    </Button>
  )
  return (
    <Page title={t.title} back="/activities" width={760} actions={query.items?.length !== 0 && create}>
      <Card variant="outlined">
        <CardContent>
          <Rows
            query={query}
            label={t.title}
            keyOf={({ id }) => id}
            empty={
              <EmptyState icon={Badge} title={t.empty} text={isManager ? t.emptyText : t.emptyMember} action={create} />
            }
          >
            {(template) => (
              <Row
                title={
                  <Stack direction="row" spacing={1} component="span" sx={{ alignItems: 'center' }}>
                    {template.color !== null && (
                      <Box
                        component="span"
                        sx={{
                          width: 14,
                          height: 14,
                          borderRadius: '50%',
                          border: 1,
                          borderColor: 'divider',
                          bgcolor: template.color,
                        }}
                      />
                    )}
                    <span>{template.name}</span>
                  </Stack>
                }
                details={[
                  template.description,
                  ...template.fields.map(({ label }) => label),
                  template.validDays !== null && t.forDays(template.validDays),
                  template.maxUses !== null &&
                    (template.maxUses === 0 ? shared.unlimited : t.entries(template.maxUses)),
                ]
                  .filter(Boolean)
                  .join(' · ')}
                actions={
                  isManager && (
                    <>
                      <IconButton aria-label={t.editButton(template.name)} onClick={() => setEdited(template)}>
                        <EditOutlined />
                      </IconButton>
                      <IconButton aria-label={t.removeButton(template.name)} onClick={() => setRemoved(template)}>
                        <Delete />
                      </IconButton>
                    </>
                  )
                }
              />
            )}
          </Rows>
        </CardContent>
      </Card>
      {edited && (
        <TemplateDialog {...(edited !== 'new' && { template: edited })} onClose={() => setEdited(undefined)} />
      )}
      {removed && (
        <ConfirmDialog
          isOpen
          title={t.removeTitle(removed.name)}
          text={t.removeText}
          action={t.remove}
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate({ params: { templateId: removed.id } })}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Page>
  )
}

function TemplateDialog({ template, onClose }: { template?: PassTemplate; onClose: () => void }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const [name, setName] = useState(template?.name ?? '')
  const [description, setDescription] = useState(template?.description ?? '')
  const [color, setColor] = useState(template?.color ?? '#0b6b57')
  const [fields, setFields] = useState(template?.fields.map(({ label }) => label).join('\n') ?? '')
  const [days, setDays] = useState(template?.validDays?.toString() ?? '')
  const [uses, setUses] = useState(template?.maxUses?.toString() ?? '')
  const settings = { quiet: true, done: t.saved, onDone: onClose }
  const create = useAction('passTemplates.create', settings)
  const update = useAction('passTemplates.update', settings)
  const { error, isPending } = template ? update : create
  const submit = () => {
    const labels = fields
      .split('\n')
      .map((label) => label.trim())
      .filter((label) => label !== '')
    const keys = new Map(template?.fields.map(({ key, label }) => [label, key]))
    const used = new Set(keys.values())
    // A line that stays keeps its key, so that it still fits the values of issued passes.
    const keyOf = (label: string) => {
      const known = keys.get(label)
      if (known !== undefined) return known
      let n = 1
      while (used.has(`f${n}`)) n++
      used.add(`f${n}`)
      return `f${n}`
    }
    const body = {
      name: name.trim(),
      description: description.trim() || null,
      color,
      fields: labels.map((label) => ({ key: keyOf(label), label })),
      validDays: days === '' ? null : Number(days),
      maxUses: uses === '' ? null : Number(uses),
    }
    if (template) update.mutate({ params: { templateId: template.id }, body })
    else create.mutate({ query: ownerQuery(), body: { ...body, ...ownerQuery() } })
  }
  const problem = (field: string, help?: string) => ({
    error: error?.problem(field) !== undefined,
    helperText: error?.problem(field) ?? help,
  })
  return (
    <FormDialog
      isOpen
      title={template ? t.edit(template.name) : t.create}
      action={shared.save}
      isBusy={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        {...problem('name')}
        label={shared.name}
        value={name}
        onChange={({ target }) => setName(target.value)}
        required
        autoFocus
        slotProps={{ htmlInput: { maxLength: 100 } }}
      />
      <TextField
        {...problem('description')}
        label={t.description}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <Stack direction="row" spacing={1.5} sx={{ alignItems: 'center' }}>
        <Box
          component="input"
          type="color"
          id="template-color"
          value={color}
          onChange={({ target }: { target: { value: string } }) => setColor(target.value)}
          sx={{
            width: 56,
            height: 44,
            p: 0.5,
            border: 1,
            borderColor: 'divider',
            borderRadius: 1,
            bgcolor: 'transparent',
          }}
        />
        <Typography component="label" htmlFor="template-color">
          {t.color}
        </Typography>
      </Stack>
      <TextField
        {...problem('fields', t.fieldsHelp)}
        label={t.fields}
        multiline
        minRows={2}
        value={fields}
        onChange={({ target }) => setFields(target.value)}
      />
      <TextField
        {...problem('validDays', t.daysHelp)}
        label={t.days}
        type="number"
        value={days}
        onChange={({ target }) => setDays(target.value)}
        slotProps={{ htmlInput: { min: 1 } }}
      />
      <TextField
        {...problem('maxUses', t.usesHelp)}
        label={t.uses}
        type="number"
        value={uses}
        onChange={({ target }) => setUses(target.value)}
        slotProps={{ htmlInput: { min: 0 } }}
      />
    </FormDialog>
  )
}
