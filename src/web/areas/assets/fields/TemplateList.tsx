/** Templates: ordered lists of fields for forms. */

import { Add, ContentCopy, Delete, Edit, Star, StarBorder, ViewList } from '@mui/icons-material'
import { Button, Chip, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { useAction } from '../../../api/hooks.ts'
import { usePages } from '../../../api/pages.ts'
import type { MetaTemplate } from '../../../api/types.ts'
import { common } from '../../../i18n/common.ts'
import { useEnum } from '../../../i18n/enums.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useSession } from '../../../session/session.ts'
import { ActionDialog } from '../../../ui/ActionDialog.tsx'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../../ui/Answer.tsx'
import { FormDialog } from '../../../ui/dialogs.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import { useOwnedPath } from '../../../ui/Owned.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { Action } from '../parts.tsx'
import { Entries, Entry } from './entries.tsx'

const words = texts({
  en: {
    ...common.en,
    help: 'A template puts fields in order, under headings, and says which are required. Categories of assets choose their templates; the default one holds for everything else.',
    add: 'New template',
    empty: 'No templates yet',
    emptyText: 'Create one, then choose its fields.',
    default: 'Default',
    fields: (n: number) => (n === 1 ? '1 field' : `${n} fields`),
    makeDefault: (name: string) => `Make ${name} the default`,
    noDefault: (name: string) => `${name} is no longer the default`,
    edit: (name: string) => `Edit ${name}`,
    copy: (name: string) => `Copy ${name}`,
    remove: (name: string) => `Delete ${name}`,
    copied: 'The template was copied. Change the copy as you like.',
    saved: 'The template was saved.',
    isDefault: 'Default for everything without another template',
    delete: 'Delete template',
    removeTitle: (name: string) => `Delete the template “${name}”?`,
    removeText: 'Fields and their values stay. Categories and assets that use it get the default template.',
    deleted: 'The template was deleted.',
  },
  zh: {
    ...common.zh,
    help: '模板规定字段的顺序、分组和必填项。资产分类可选择模板，其余使用默认模板。',
    add: '新建模板',
    empty: '还没有模板',
    emptyText: '新建模板，然后选择其中的字段。',
    default: '默认',
    fields: (n: number) => `${n} 个字段`,
    makeDefault: (name: string) => `将 ${name} 设为默认`,
    noDefault: (name: string) => `取消 ${name} 的默认`,
    edit: (name: string) => `编辑 ${name}`,
    copy: (name: string) => `复制 ${name}`,
    remove: (name: string) => `删除 ${name}`,
    copied: '模板已复制，可随意修改副本。',
    saved: '模板已保存。',
    isDefault: '用作默认模板',
    delete: '删除模板',
    removeTitle: (name: string) => `删除模板“${name}”？`,
    removeText: '字段和值会保留。使用该模板的分类和资产将改用默认模板。',
    deleted: '模板已删除。',
  },
})

export function TemplateList({ objectName }: { objectName: string }) {
  const t = useTexts(words)
  const may = useMay()
  const { workspace } = useSession()
  const orgId = workspace?.id ?? 0
  const isOwn = workspace === null
  const own = usePages('metadata.templates', { params: { objectName } }, { size: 50, enabled: isOwn })
  const ofOrg = usePages('metadata.orgTemplates', { params: { objectName, orgId } }, { size: 50, enabled: !isOwn })
  const { items, total, error, isLoading, more, retry } = isOwn ? own : ofOrg
  /** The template that is to be deleted. */
  const [dialog, setDialog] = useState<'new' | MetaTemplate | null>(null)
  const close = () => setDialog(null)
  const add = may(isOwn ? 'metadata.createTemplate' : 'metadata.createOrgTemplate') && (
    <Button variant="contained" startIcon={<Add />} data-create onClick={() => setDialog('new')}>
      {t.add}
    </Button>
  )
  if (error !== null) return <ErrorNotice error={error} onRetry={retry} />
  if (items === undefined) return <Loading />
  return (
    <>
      <Stack direction="row" spacing={2} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap', mb: 2 }}>
        <Typography variant="body2" color="text.secondary" sx={{ flex: '1 1 260px' }}>
          {t.help}
        </Typography>
        {items.length > 0 && add}
      </Stack>
      {items.length === 0 ? (
        <EmptyState icon={ViewList} title={t.empty} text={t.emptyText} action={add} />
      ) : (
        <Entries>
          {items.map((template) => (
            <Row key={template.id} template={template} onDelete={() => setDialog(template)} />
          ))}
        </Entries>
      )}
      <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
      {dialog === 'new' && <NewTemplate objectName={objectName} onClose={close} />}
      {dialog !== null && dialog !== 'new' && <DeleteTemplate template={dialog} onClose={close} />}
    </>
  )
}

function usePageOf() {
  const ownedPath = useOwnedPath()
  return ({ id, objectName }: Pick<MetaTemplate, 'id' | 'objectName'>) =>
    ownedPath(`/assets/fields/templates/${id}?object=${objectName}`)
}

function Row({ template, onDelete }: { template: MetaTemplate; onDelete: () => void }) {
  const t = useTexts(words)
  const may = useMay()
  const { workspace } = useSession()
  const navigate = useNavigate()
  const scope = useEnum('metaScope')
  const isOwn = workspace === null
  const { id, name, isDefault } = template
  const isMine = template.scope === (isOwn ? 'USER' : 'ORG')
  const pageOf = usePageOf()
  const page = pageOf(template)
  const params = { id, ...(workspace && { orgId: workspace.id }) }
  const fork = useAction(isOwn ? 'metadata.forkTemplate' : 'metadata.forkIntoOrg', {
    done: t.copied,
    onDone: (copy) => void navigate(pageOf(copy)),
  })
  const updates = isOwn ? 'metadata.updateTemplate' : 'metadata.updateOrgTemplate'
  const update = useAction(updates, { done: t.saved })
  const mayUpdate = isMine && may(updates)
  const mayCopy = isOwn ? may('metadata.forkTemplate') : template.scope === 'GLOBAL' && may('metadata.forkIntoOrg')
  return (
    <Entry
      title={
        <>
          <Typography component={Link} to={page} sx={{ fontWeight: 600, color: 'inherit', overflowWrap: 'anywhere' }}>
            {name}
          </Typography>{' '}
          {isDefault && <Chip size="small" variant="outlined" label={t.default} />}
        </>
      }
      details={[t.fields(template.fieldCount), isMine ? '' : scope(template.scope), template.description]}
    >
      {mayUpdate && (
        <>
          <Action
            icon={isDefault ? Star : StarBorder}
            label={(isDefault ? t.noDefault : t.makeDefault)(name)}
            onClick={() => update.mutate({ params, body: { isDefault: !isDefault } })}
          />
          <Action icon={Edit} label={t.edit(name)} onClick={() => void navigate(page)} />
        </>
      )}
      {mayCopy && <Action icon={ContentCopy} label={t.copy(name)} onClick={() => fork.mutate({ params, body: {} })} />}
      {isMine && may(isOwn ? 'metadata.deleteTemplate' : 'metadata.deleteOrgTemplate') && (
        <Action icon={Delete} label={t.remove(name)} onClick={onDelete} />
      )}
    </Entry>
  )
}

function NewTemplate({ objectName, onClose }: { objectName: string; onClose: () => void }) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const navigate = useNavigate()
  const pageOf = usePageOf()
  const form = useForm(
    workspace === null ? 'metadata.createTemplate' : 'metadata.createOrgTemplate',
    { name: '', description: '', isDefault: false },
    {
      onDone: (template) => void navigate(pageOf(template)),
      input: (body) => ({ params: { objectName, ...(workspace && { orgId: workspace.id }) }, body }),
    },
  )
  return (
    <FormDialog form={form} title={t.add} action={t.create} onClose={onClose}>
      <TextField {...form.text('name')} autoFocus />
      <TextField {...form.text('description')} />
      <CheckField {...form.check('isDefault', { label: t.isDefault })} isBox />
    </FormDialog>
  )
}

function DeleteTemplate({ template: { id, name }, onClose }: { template: MetaTemplate; onClose: () => void }) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const operation = workspace === null ? 'metadata.deleteTemplate' : 'metadata.deleteOrgTemplate'
  return (
    <ActionDialog
      operation={operation}
      input={{ params: { id, ...(workspace && { orgId: workspace.id }) } }}
      title={t.removeTitle(name)}
      text={t.removeText}
      action={t.delete}
      refreshes={['metadata', 'assetCategories']}
      done={t.deleted}
      onClose={onClose}
    />
  )
}
