/** The fields that the workspace sees. Its own ones can be created, changed, ordered and deleted. */

import { Add, ArrowDownward, ArrowUpward, Delete, Edit, ListAlt } from '@mui/icons-material'
import { Box, Button, Chip, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { callWith } from '../../../api/client.ts'
import { useRefresh } from '../../../api/hooks.ts'
import { usePages } from '../../../api/pages.ts'
import type { MetaField } from '../../../api/types.ts'
import { notify } from '../../../browser/notices.ts'
import { useEnum } from '../../../i18n/enums.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useSession } from '../../../session/session.ts'
import { ActionDialog } from '../../../ui/ActionDialog.tsx'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../../ui/Answer.tsx'
import { Action } from '../parts.tsx'
import { Entries, Entry } from './entries.tsx'
import { FieldDialog } from './FieldDialog.tsx'

const words = texts({
  en: {
    add: 'New field',
    own: 'Your own fields',
    ofOrg: (name: string) => `Fields of ${name}`,
    ownHelp: 'Only you see them and their values.',
    orgHelp: 'Members with permission see and fill them.',
    general: 'Fields for everybody',
    generalHelp: 'Administrators of the server define these.',
    empty: 'No own fields yet',
    emptyText:
      'Add what is missing: a next inspection, a voltage, the number of keys. 15 types are available, from text to formula.',
    up: (name: string) => `Move ${name} up`,
    down: (name: string) => `Move ${name} down`,
    edit: (name: string) => `Edit ${name}`,
    remove: (name: string) => `Delete ${name}`,
    required: 'Required',
    key: (key: string) => `Key ${key}`,
    removeTitle: (name: string) => `Delete the field “${name}”?`,
    removeText:
      'The field disappears from all forms and templates. Values that were entered stay stored but are no longer shown.',
    delete: 'Delete field',
    deleted: 'The field was deleted.',
  },
  zh: {
    add: '新建字段',
    own: '我的字段',
    ofOrg: (name: string) => `${name}的字段`,
    ownHelp: '只有你能看到这些字段和其中的值。',
    orgHelp: '有权限的成员可以查看和填写。',
    general: '全局字段',
    generalHelp: '由服务器管理员定义。',
    empty: '还没有自己的字段',
    emptyText: '补充缺少的内容，例如下次检验日期、电压、钥匙数量。从文本到公式共有 15 种类型。',
    up: (name: string) => `上移 ${name}`,
    down: (name: string) => `下移 ${name}`,
    edit: (name: string) => `编辑 ${name}`,
    remove: (name: string) => `删除 ${name}`,
    required: '必填',
    key: (key: string) => `键 ${key}`,
    removeTitle: (name: string) => `删除字段“${name}”？`,
    removeText: '该字段会从所有表单和模板中消失。已填写的值仍会保存，但不再显示。',
    delete: '删除字段',
    deleted: '字段已删除。',
  },
})

/** Fields of the workspace and those for everybody, as far as they were read. */
function useFieldPages(objectName: string) {
  const { workspace } = useSession()
  const own = usePages('metadata.fields', { params: { objectName } }, { size: 100, enabled: workspace === null })
  const ofOrg = usePages(
    'metadata.orgFields',
    { params: { objectName, orgId: workspace?.id ?? 0 } },
    { size: 100, enabled: workspace !== null },
  )
  return workspace === null ? own : ofOrg
}

export function FieldList({ objectName }: { objectName: string }) {
  const t = useTexts(words)
  const may = useMay()
  const refresh = useRefresh()
  const { workspace } = useSession()
  const { items, total, error, isLoading, more, retry } = useFieldPages(objectName)
  const [edited, setEdited] = useState<MetaField | 'new'>()
  const [deleted, setDeleted] = useState<MetaField>()
  const [isMoving, setMoving] = useState(false)
  const params = (id: number) => ({ objectName, id, ...(workspace !== null && { orgId: workspace.id }) })

  const own = items?.filter(({ scope }) => scope === (workspace === null ? 'USER' : 'ORG')) ?? []
  const general = items?.filter(({ scope }) => scope === 'GLOBAL') ?? []
  const mayCreate = may(workspace === null ? 'metadata.createField' : 'metadata.createOrgField')
  const update = workspace === null ? 'metadata.updateField' : 'metadata.updateOrgField'

  /** Swaps two neighbours. Fields with the same number are in the order of their creation, so all get a number. */
  const move = async (index: number, by: number) => {
    setMoving(true)
    const order = own.with(index, own[index + by]!).with(index + by, own[index]!)
    try {
      for (const [i, field] of order.entries())
        if (field.sortOrder !== (i + 1) * 10)
          await callWith(update, { params: params(field.id), body: { sortOrder: (i + 1) * 10 } }, {})
    } catch (refusal) {
      notify((refusal as Error).message, 'error')
    }
    await refresh('metadata')
    setMoving(false)
  }
  const add = mayCreate && (
    <Button variant="contained" startIcon={<Add />} data-create onClick={() => setEdited('new')}>
      {t.add}
    </Button>
  )
  if (error !== null) return <ErrorNotice error={error} onRetry={retry} />
  if (items === undefined) return <Loading />
  return (
    <Stack spacing={3}>
      <Box component="section">
        <Stack direction="row" spacing={1} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap', mb: 1 }}>
          <Box sx={{ flex: 1, minWidth: 200 }}>
            <Typography variant="h2">{workspace === null ? t.own : t.ofOrg(workspace.name)}</Typography>
            <Typography variant="body2" color="text.secondary">
              {workspace === null ? t.ownHelp : t.orgHelp}
            </Typography>
          </Box>
          {own.length > 0 && add}
        </Stack>
        {own.length === 0 ? (
          <EmptyState icon={ListAlt} title={t.empty} text={t.emptyText} action={add} />
        ) : (
          <Entries>
            {own.map((field, i) => (
              <Row key={field.id} field={field}>
                {may(update) && (
                  <>
                    <Action
                      icon={ArrowUpward}
                      label={t.up(field.name)}
                      isOff={i === 0 || isMoving}
                      onClick={() => void move(i, -1)}
                    />
                    <Action
                      icon={ArrowDownward}
                      label={t.down(field.name)}
                      isOff={i === own.length - 1 || isMoving}
                      onClick={() => void move(i, 1)}
                    />
                    <Action icon={Edit} label={t.edit(field.name)} onClick={() => setEdited(field)} />
                  </>
                )}
                {may(workspace === null ? 'metadata.deleteField' : 'metadata.deleteOrgField') && (
                  <Action icon={Delete} label={t.remove(field.name)} onClick={() => setDeleted(field)} />
                )}
              </Row>
            ))}
          </Entries>
        )}
      </Box>
      {general.length > 0 && (
        <Box component="section">
          <Typography variant="h2">{t.general}</Typography>
          <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
            {t.generalHelp}
          </Typography>
          <Entries>
            {general.map((field) => (
              <Row key={field.id} field={field} />
            ))}
          </Entries>
        </Box>
      )}
      <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
      {edited !== undefined && (
        <FieldDialog
          objectName={objectName}
          {...(edited !== 'new' && { field: edited })}
          siblings={[...own, ...general]}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted !== undefined && (
        <DeleteField field={deleted} params={params(deleted.id)} onClose={() => setDeleted(undefined)} />
      )}
    </Stack>
  )
}

function Row({ field, children }: { field: MetaField; children?: React.ReactNode }) {
  const t = useTexts(words)
  const type = useEnum('fieldType')
  return (
    <Entry
      title={
        <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
          {field.name}{' '}
          {field.config['required'] === true && <Chip size="small" variant="outlined" label={t.required} />}
        </Typography>
      }
      details={[type(field.type), t.key(field.key), field.description]}
    >
      {children}
    </Entry>
  )
}

interface DeleteProps {
  field: MetaField
  params: { objectName: string; id: number; orgId?: number }
  onClose: () => void
}

function DeleteField({ field, params, onClose }: DeleteProps) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const operation = workspace === null ? 'metadata.deleteField' : 'metadata.deleteOrgField'
  return (
    <ActionDialog
      operation={operation}
      input={{ params }}
      title={t.removeTitle(field.name)}
      text={t.removeText}
      action={t.delete}
      done={t.deleted}
      onClose={onClose}
    />
  )
}
