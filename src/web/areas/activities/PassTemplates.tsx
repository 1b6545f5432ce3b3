/** Templates of passes: colour, lines below the name, validity and entries, for several activities. */

import { Add, Badge, Delete, EditOutlined } from '@mui/icons-material'
import { Box, Button, Card, CardContent, IconButton, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { usePages } from '../../api/pages.ts'
import type { PassTemplate } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { EmptyState } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { NumberField } from '../../ui/fields.tsx'
import { Page } from '../../ui/Page.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { activityWords } from './words.ts'

const words = texts({
  en: {
    title: 'Pass templates',
    create: 'New template',
    edit: (name: string) => `Edit template “${name}”`,
    editButton: (name: string) => `Edit ${name}`,
    removeButton: (name: string) => `Delete ${name}`,
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
  const create = isManager && (
    <Button variant="contained" startIcon={<Add />} onClick={() => setEdited('new')} data-create>
      {t.create}
    </Button>
  )
  return (
    <Page title={t.title} back="/activities" width="form" actions={query.items?.length !== 0 && create}>
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
        <ActionDialog
          operation="passTemplates.delete"
          input={{ params: { templateId: removed.id } }}
          title={t.removeTitle(removed.name)}
          text={t.removeText}
          action={t.remove}
          done={t.removed}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Page>
  )
}

function TemplateDialog({ template, onClose }: { template?: PassTemplate; onClose: () => void }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const form = useForm(
    template ? 'passTemplates.update' : 'passTemplates.create',
    {
      name: template?.name ?? '',
      description: template?.description ?? '',
      color: template?.color ?? '#0b6b57',
      fields: template?.fields.map(({ label }) => label).join('\n') ?? '',
      validDays: template?.validDays ?? null,
      maxUses: template?.maxUses ?? null,
    },
    {
      paths: { color: [] },
      done: t.saved,
      onDone: onClose,
      input: ({ description, fields, ...values }) => ({
        params: template ? { templateId: template.id } : {},
        query: template ? {} : ownerQuery(),
        body: {
          ...values,
          description: description.trim() || null,
          fields: fieldsOf(fields, template?.fields ?? []),
          ...(template === undefined && ownerQuery()),
        },
      }),
    },
  )
  return (
    <FormDialog form={form} title={template ? t.edit(template.name) : t.create} action={shared.save} onClose={onClose}>
      <TextField {...form.text('name')} autoFocus />
      <TextField {...form.text('description')} />
      <Stack direction="row" spacing={1.5} sx={{ alignItems: 'center' }}>
        <Box
          component="input"
          type="color"
          id="template-color"
          value={form.values.color}
          onChange={({ target }: { target: { value: string } }) => form.set({ color: target.value })}
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
      <TextField {...form.text('fields', { label: t.fields, help: t.fieldsHelp })} multiline minRows={2} />
      <NumberField {...form.number('validDays', { label: t.days, help: t.daysHelp })} />
      <NumberField {...form.number('maxUses', { label: t.uses, help: t.usesHelp })} />
    </FormDialog>
  )
}

/** The fields of a template from their labels, one on each line. A line keeps its key as long as its label stays, so that issued passes keep their values. */
function fieldsOf(lines: string, before: PassTemplate['fields']): { key: string; label: string }[] {
  const keys = new Map(before.map(({ key, label }) => [label, key]))
  const used = new Set(keys.values())
  const labels = lines.split('\n').map((label) => label.trim())
  return labels
    .filter((label) => label !== '')
    .map((label) => {
      let key = keys.get(label)
      for (let n = 1; key === undefined; n++) if (!used.has(`f${n}`)) key = `f${n}`
      used.add(key)
      return { key, label }
    })
}
