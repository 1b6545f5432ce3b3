/** The form of a check-in list. */

import { TextField } from '@mui/material'

import { useAll } from '../../../api/pages.ts'
import type { Activity, CheckInList, CheckInListKind } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { FormDialog } from '../../../ui/dialogs.tsx'
import { CheckField, NumberField } from '../../../ui/fields.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { ManyField } from '../ManyField.tsx'
import { activityWords } from '../words.ts'

const words = texts({
  en: {
    create: 'New check-in list',
    edit: (name: string) => `Edit “${name}”`,
    saved: 'The list is saved.',
    name: 'Name',
    nameHelp: 'For example: Workshop A, Lunch',
    kind: 'Kind',
    place: 'Place',
    opensAt: 'Opens',
    closesAt: 'Closes',
    always: 'Empty: at any time',
    uses: 'Entries per pass on this list',
    usesHelp: '0: unlimited',
    templates: 'Only passes of these templates',
    templatesHelp: 'None: all passes',
    requiresEntry: 'Only after an entry at the entrance',
    requiresEntryHelp: 'Not checked while the gate has no connection',
  },
  zh: {
    create: '新建签到名单',
    edit: (name: string) => `编辑“${name}”`,
    saved: '名单已保存。',
    name: '名称',
    nameHelp: '例如：分会场 A、午餐',
    kind: '类别',
    place: '地点',
    opensAt: '开放时间',
    closesAt: '关闭时间',
    always: '留空：不限时间',
    uses: '每张通行证在此名单的次数',
    usesHelp: '0 表示不限',
    templates: '仅限以下模板的通行证',
    templatesHelp: '不选：所有通行证',
    requiresEntry: '须先在入口入场',
    requiresEntryHelp: '离线检票时不检查',
  },
})

interface ListDialogProps {
  activity: Activity
  list: CheckInList | undefined
  onClose: () => void
}

export default function ListDialog({ activity, list, onClose }: ListDialogProps) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const zone = activity.timeZone
  const templates = useAll('passTemplates.list', {
    query: activity.ownerType === 'ORGANIZATION' ? { orgId: activity.ownerId } : {},
  })
  const form = useForm(
    list ? 'checkInLists.update' : 'checkInLists.create',
    {
      name: list?.name ?? '',
      kind: list?.kind ?? ('SESSION' as CheckInListKind),
      place: list?.place ?? '',
      opensAt: list?.opensAt ?? null,
      closesAt: list?.closesAt ?? null,
      maxUses: (list?.maxUses ?? 1) as number | null,
      templateIds: list?.templateIds ?? [],
      requiresEntry: list?.requiresEntry ?? false,
    },
    {
      done: t.saved,
      onDone: onClose,
      input: ({ place, ...values }) => ({
        params: { id: activity.id, ...(list && { listId: list.id }) } as { id: number; listId: number },
        body: { ...values, place: place.trim() || null },
      }),
    },
  )
  return (
    <FormDialog form={form} title={list ? t.edit(list.name) : t.create} action={shared.save} onClose={onClose}>
      <TextField {...form.text('name', { label: t.name, help: t.nameHelp })} autoFocus />
      <TextField {...form.choice('kind', 'checkInListKind', { label: t.kind })} />
      <TextField {...form.text('place', { label: t.place })} />
      <TextField {...form.time('opensAt', { label: t.opensAt, help: t.always, zone })} />
      <TextField {...form.time('closesAt', { label: t.closesAt, help: t.always, zone })} />
      <NumberField {...form.number('maxUses', { label: t.uses, help: t.usesHelp })} />
      {((templates.data?.length ?? 0) > 0 || form.values.templateIds.length > 0) && (
        <ManyField
          {...form.pick('templateIds', { label: t.templates, help: t.templatesHelp })}
          choices={templates.data ?? []}
        />
      )}
      <CheckField {...form.check('requiresEntry', { label: t.requiresEntry, help: t.requiresEntryHelp })} />
    </FormDialog>
  )
}
