/**
 * The fields of a template, in their order, with headings and required ones, and how the form looks. The interface reads templates by their
 * owner, who is in the address: `/assets/fields/templates/1?object=asset&org=3`.
 */

import { Add, ArrowDownward, ArrowUpward, Delete, ViewList } from '@mui/icons-material'
import {
  Alert,
  Box,
  Button,
  Card,
  CardContent,
  Checkbox,
  FormControlLabel,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { useParams, useSearchParams } from 'react-router'

import { callWith } from '../../../api/client.ts'
import { useCall } from '../../../api/hooks.ts'
import { useAll } from '../../../api/pages.ts'
import type { MetaField, MetaTemplate, MetaTemplateFields } from '../../../api/types.ts'
import { common } from '../../../i18n/common.ts'
import { useEnum } from '../../../i18n/enums.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useOwner } from '../../../session/session.ts'
import { Answer, EmptyState, ErrorNotice } from '../../../ui/Answer.tsx'
import { ConflictDialog } from '../../../ui/Conflict.tsx'
import { ChoiceField } from '../../../ui/fields.tsx'
import { Owned, useAddressOwner } from '../../../ui/Owned.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Section } from '../../../ui/parts.tsx'
import { type Form, useForm } from '../../../ui/use-form.tsx'
import { Action } from '../parts.tsx'
import { FieldInput } from './FieldInput.tsx'
import { grouped, specOfField, type Values } from './model.ts'

const words = texts({
  en: {
    ...common.en,
    fields: 'Fields',
    none: 'No fields yet. Add the first one below.',
    add: 'Add a field',
    heading: (name: string) => `Heading above ${name}`,
    headingShort: 'Heading',
    required: 'Required',
    up: (name: string) => `Move ${name} up`,
    down: (name: string) => `Move ${name} down`,
    remove: (name: string) => `Take ${name} out`,
    preview: 'Preview',
    previewHelp: 'Try the form. Nothing is stored.',
    saved: 'The template was saved.',
    locked: 'This template belongs to the server. Copy it to change it.',
    details: 'Details',
    gone: 'Template not found',
    goneText: 'The template was deleted, or it belongs to somebody else.',
  },
  zh: {
    ...common.zh,
    fields: '字段',
    none: '还没有字段，请在下方添加。',
    add: '添加字段',
    heading: (name: string) => `${name} 的分组标题`,
    headingShort: '分组标题',
    required: '必填',
    up: (name: string) => `上移 ${name}`,
    down: (name: string) => `下移 ${name}`,
    remove: (name: string) => `移出 ${name}`,
    preview: '预览',
    previewHelp: '可试填表单，内容不会保存。',
    saved: '模板已保存。',
    locked: '这是全局模板，复制后才能修改。',
    details: '详细信息',
    gone: '没有找到模板',
    goneText: '模板已删除，或属于他人。',
  },
})

export default function TemplatePage() {
  const orgId = useAddressOwner()
  return (
    <Owned orgId={orgId}>
      <Template />
    </Owned>
  )
}

function Template() {
  const t = useTexts(words)
  const owner = useOwner()
  const params = useParams()
  const [search] = useSearchParams()
  const objectName = search.get('object') ?? 'asset'
  const id = Number(params['id'])
  const isOwn = owner === null
  const orgId = owner?.id ?? 0
  const ownTemplates = useAll('metadata.templates', { params: { objectName } }, { enabled: isOwn })
  const orgTemplates = useAll('metadata.orgTemplates', { params: { objectName, orgId } }, { enabled: !isOwn })
  const ownFields = useCall('metadata.templateFields', { params: { id } }, { enabled: isOwn })
  const orgFields = useCall('metadata.orgTemplateFields', { params: { id, orgId } }, { enabled: !isOwn })
  const ownAll = useAll('metadata.fields', { params: { objectName } }, { enabled: isOwn })
  const orgAll = useAll('metadata.orgFields', { params: { objectName, orgId } }, { enabled: !isOwn })
  const back = `/assets/fields?part=templates&object=${objectName}`
  return (
    <Answer query={isOwn ? ownTemplates : orgTemplates}>
      {(templates) => {
        const template = templates.find((one) => one.id === id)
        if (template === undefined)
          return (
            <Page title={t.gone} back={back}>
              <EmptyState icon={ViewList} title={t.gone} text={t.goneText} />
            </Page>
          )
        return (
          <Answer query={isOwn ? ownFields : orgFields}>
            {(contents) => (
              <Editor
                key={template.id}
                template={template}
                contents={contents}
                all={(isOwn ? ownAll : orgAll).data ?? []}
                back={back}
              />
            )}
          </Answer>
        )
      }}
    </Answer>
  )
}

interface EditorProps {
  template: MetaTemplate
  contents: MetaTemplateFields
  all: readonly MetaField[]
  back: string
}

interface Entry {
  readonly field: MetaField
  readonly group: string
  readonly required: boolean
}

const entriesOf = ({ items }: MetaTemplateFields): readonly Entry[] =>
  items.map(({ field, group, required }) => ({ field, group, required }))

interface TemplateValues {
  readonly name: string
  readonly description: string
  readonly entries: readonly Entry[]
}

function Editor({ template, contents, all, back }: EditorProps) {
  const t = useTexts(words)
  const may = useMay()
  const owner = useOwner()
  const { id } = template
  const isMine = template.scope === (owner === null ? 'USER' : 'ORG')
  const operation = owner === null ? 'metadata.updateTemplate' : 'metadata.updateOrgTemplate'
  const mayChange = isMine && may(operation)
  const params = { id, ...(owner && { orgId: owner.id }) }
  const form: Form<TemplateValues> = useForm(
    operation,
    { name: template.name, description: template.description, entries: entriesOf(contents) },
    {
      done: t.saved,
      paths: { entries: [] },
      input: ({ name, description }) => ({ params, body: { name, description } }),
      from: {
        version: template.version,
        async values(row: MetaTemplate) {
          const read = owner === null ? 'metadata.templateFields' : 'metadata.orgTemplateFields'
          const now = (await callWith(read, { params }, {})) as MetaTemplateFields
          return { name: row.name, description: row.description, entries: entriesOf(now) }
        },
      },
      async send(input, _, headers, { entries: sent }) {
        // The form checks the limits of the name, not those of the fields: these go first, so that a refusal changes nothing.
        const items = sent.map(({ field, group, required }) => ({ fieldId: field.id, group, required }))
        const setFields = owner === null ? 'metadata.setTemplateFields' : 'metadata.setOrgTemplateFields'
        await callWith(setFields, { params, body: { items } }, { headers })
        // The version was compared, and the answer does not name the next one.
        return (await callWith(operation, input, {})) as MetaTemplate
      },
    },
  )
  const { entries } = form.values
  return (
    <Page
      isShared={template.scope === 'GLOBAL'}
      title={template.name}
      back={back}
      actions={
        mayChange && (
          <Button variant="contained" loading={form.isBusy} onClick={() => form.submit()}>
            {t.save}
          </Button>
        )
      }
    >
      {!isMine && (
        <Alert severity="info" sx={{ mb: 2 }}>
          {t.locked}
        </Alert>
      )}
      {form.error !== null && <ErrorNotice error={form.error} />}
      <ConflictDialog conflict={form.conflict} />
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          alignItems: 'start',
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
        }}
      >
        <Box>
          {mayChange && (
            <Section>
              <Stack spacing={2}>
                <TextField {...form.text('name')} />
                <TextField {...form.text('description')} />
              </Stack>
            </Section>
          )}
          <Section title={t.fields}>
            <Entries form={form} all={all} mayChange={mayChange} />
          </Section>
        </Box>
        {entries.length > 0 && <Preview entries={entries} />}
      </Box>
    </Page>
  )
}

interface EntriesProps {
  form: Form<TemplateValues>
  all: readonly MetaField[]
  mayChange: boolean
}

function Entries({ form, all, mayChange }: EntriesProps) {
  const t = useTexts(words)
  const type = useEnum('fieldType')
  const { entries } = form.values
  const set = (next: readonly Entry[]) => form.set({ entries: next })
  const change = (i: number, part: Partial<Entry>) => set(entries.with(i, { ...entries[i]!, ...part }))
  const swap = (i: number, j: number) => set(entries.with(i, entries[j]!).with(j, entries[i]!))
  const unused = all.filter((field) => !entries.some((entry) => entry.field.id === field.id))
  return (
    <>
      {entries.length === 0 && <Typography color="text.secondary">{t.none}</Typography>}
      <Stack component="ol" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {entries.map(({ field, group, required }, i) => (
          <Box
            key={field.id}
            component="li"
            sx={{ py: 1, borderBottom: 1, borderColor: 'divider', '&:last-of-type': { borderBottom: 0 } }}
          >
            <Stack direction="row" sx={{ alignItems: 'center' }}>
              <Box sx={{ flex: 1, minWidth: 0 }}>
                <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{field.name}</Typography>
                <Typography variant="body2" color="text.secondary">
                  {[type(field.type), mayChange ? '' : group].filter(Boolean).join(' · ')}
                </Typography>
              </Box>
              {mayChange && (
                <>
                  <Action icon={ArrowUpward} label={t.up(field.name)} isOff={i === 0} onClick={() => swap(i, i - 1)} />
                  <Action
                    icon={ArrowDownward}
                    label={t.down(field.name)}
                    isOff={i === entries.length - 1}
                    onClick={() => swap(i, i + 1)}
                  />
                  <Action icon={Delete} label={t.remove(field.name)} onClick={() => set(entries.toSpliced(i, 1))} />
                </>
              )}
            </Stack>
            {mayChange && (
              <Stack direction="row" spacing={2} sx={{ alignItems: 'center', mt: 1 }}>
                <TextField
                  label={t.headingShort}
                  value={group}
                  onChange={(event) => change(i, { group: event.target.value })}
                  sx={{ flex: 1 }}
                  slotProps={{ htmlInput: { 'aria-label': t.heading(field.name) } }}
                />
                <FormControlLabel
                  label={t.required}
                  control={<Checkbox checked={required} onChange={(_, isOn) => change(i, { required: isOn })} />}
                />
              </Stack>
            )}
          </Box>
        ))}
      </Stack>
      {mayChange && unused.length > 0 && (
        <Stack direction="row" spacing={1} sx={{ mt: 2, alignItems: 'center', '& > :last-child': { flex: 1 } }}>
          <Add color="action" />
          <ChoiceField
            label={t.add}
            value={null as number | null}
            choices={unused}
            onChange={(chosen) => {
              const field = unused.find(({ id }) => id === chosen)!
              set([...entries, { field, group: entries.at(-1)?.group ?? '', required: false }])
            }}
          />
        </Stack>
      )}
    </>
  )
}

function Preview({ entries }: { entries: readonly Entry[] }) {
  const t = useTexts(words)
  const [values, setValues] = useState<Values>({})
  const specs = entries.map(({ field, group, required }) => specOfField(field, { group, required, inForce: true }))
  return (
    <Card variant="outlined" component="section" aria-label={t.preview}>
      <CardContent>
        <Typography variant="h2">{t.preview}</Typography>
        <Typography variant="body2" color="text.secondary">
          {t.previewHelp}
        </Typography>
        {grouped(specs).map(([group, fields]) => (
          <Stack key={group} spacing={2} sx={{ mt: 2 }}>
            <Typography variant="h3">{group || t.details}</Typography>
            {fields.map((spec) => (
              <FieldInput
                key={spec.fieldId}
                spec={spec}
                // Files would be uploaded at once.
                disabled={spec.type === 'PHOTO' || spec.type === 'ATTACHMENT'}
                value={values[spec.fieldId] ?? spec.config.default}
                onChange={(next) =>
                  setValues((now) => ({ ...now, [spec.fieldId]: next(now[spec.fieldId] ?? spec.config.default) }))
                }
              />
            ))}
          </Stack>
        ))}
      </CardContent>
    </Card>
  )
}
