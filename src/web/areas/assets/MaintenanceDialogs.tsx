/** The forms of maintenance: a plan, and a record. */

import { AttachFile } from '@mui/icons-material'
import { Chip, Stack, TextField } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import type { MaintenanceKind, MaintenancePlan, MaintenanceRecord, MaintenanceResult } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { serverTime } from '../../browser/server-time.ts'
import { common } from '../../i18n/common.ts'
import { inputTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwner, useOwnerQuery } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField, NumberField } from '../../ui/fields.tsx'
import { FileButton } from '../../ui/FileButton.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { CategoryPicker, PersonPicker } from './inputs.tsx'
import { choicesOf, words as shared } from './maintenance-words.ts'
import { uploadFile } from './uploads.ts'

const words = texts({
  en: {
    ...common.en,
    newPlan: 'New plan',
    plan: 'Plan of maintenance',
    category: 'Assets of this category',
    categoryHelp: 'And of those below it. Each asset has a due date of its own.',
    kind: 'Kind',
    every: 'Interval',
    unit: 'Unit',
    units: { months: 'Months', days: 'Days' },
    firstDue: 'First due date',
    leadDays: 'Days of notice',
    leadDaysHelp: 'Somebody is notified so many days before, and again when it is overdue.',
    assignee: 'Responsible',
    assigneeHelp: 'Empty: the custodian of each asset, or else those who hand assets out.',
    planSaved: 'The plan was saved.',
    newRecord: 'Record maintenance',
    record: 'Maintenance',
    doneOn: 'Done on',
    fulfils: 'Fulfils the plan',
    noPlan: 'No plan',
    nextDue: 'Next due date',
    nextDueHelp: 'Empty: as the plan says.',
    cost: 'Cost',
    supplier: 'Company',
    result: 'Result',
    status: 'Status of the asset now',
    keep: 'Unchanged',
    statuses: { IN_USE: 'In use', REPAIR: 'In repair' },
    attach: 'Add file',
    tooMany: 'A record has at most 5 files.',
    recordSaved: 'The maintenance was recorded.',
  },
  zh: {
    ...common.zh,
    newPlan: '新建计划',
    plan: '维护计划',
    category: '适用分类',
    categoryHelp: '包括其下级分类，每件资产各有到期日。',
    kind: '类型',
    every: '间隔',
    unit: '单位',
    units: { months: '月', days: '天' },
    firstDue: '首次到期日',
    leadDays: '提前提醒天数',
    leadDaysHelp: '到期前提醒一次，逾期时再提醒一次。',
    assignee: '负责人',
    assigneeHelp: '留空则提醒各资产的保管人，没有保管人时提醒管理人员。',
    planSaved: '计划已保存。',
    newRecord: '登记维护',
    record: '维护记录',
    doneOn: '完成日期',
    fulfils: '对应计划',
    noPlan: '无计划',
    nextDue: '下次到期日',
    nextDueHelp: '留空则按计划计算。',
    cost: '费用',
    supplier: '服务商',
    result: '结果',
    status: '资产当前状态',
    keep: '不变',
    statuses: { IN_USE: '使用中', REPAIR: '维修中' },
    attach: '添加文件',
    tooMany: '每条记录最多 5 个文件。',
    recordSaved: '维护已登记。',
  },
})

/** Plans and records change the due dates, which are part of the assets. */
const REFRESHED = ['assetPlans', 'assetMaintenance', 'assets'] as const

const shownDay = { slotProps: { inputLabel: { shrink: true } }, type: 'date' } as const

interface PlanDialogProps {
  /** Undefined: a new one, for the asset or else for a category. */
  plan?: MaintenancePlan
  assetId?: number
  onClose: () => void
}

const planValues = (plan: MaintenancePlan | undefined) => ({
  name: plan?.name ?? '',
  kind: plan?.kind ?? ('INSPECTION' as MaintenanceKind),
  categoryId: plan?.categoryId ?? null,
  every: (plan?.every.months ?? plan?.every.days ?? 12) as number | null,
  unit: plan !== undefined && plan.every.months === null ? 'days' : 'months',
  firstDue: plan?.firstDue ?? inputTime(serverTime()).slice(0, 10),
  leadDays: (plan?.leadDays ?? 14) as number | null,
  assigneeId: plan?.assigneeId ?? null,
  note: plan?.note ?? '',
})

export function PlanDialog({ plan, assetId, onClose }: PlanDialogProps) {
  const t = useTexts(words)
  const { kinds } = useTexts(shared)
  const owner = useOwner()
  const owned = useOwnerQuery()
  const isOfAsset = plan === undefined ? assetId !== undefined : plan.assetId !== null
  const form = useForm(plan === undefined ? 'assetPlans.create' : 'assetPlans.update', () => planValues(plan), {
    from: plan && { version: plan.version, values: planValues },
    done: t.planSaved,
    refreshes: REFRESHED,
    onDone: onClose,
    input: ({ categoryId, every, unit, leadDays, ...values }) => ({
      params: plan === undefined ? {} : { id: plan.id },
      query: owned,
      body: {
        ...values,
        every: unit === 'months' ? { months: every! } : { days: every! },
        leadDays: leadDays ?? 14,
        ...(isOfAsset ? plan === undefined && { assetId } : { categoryId }),
      },
    }),
  })
  return (
    <FormDialog form={form} title={plan === undefined ? t.newPlan : t.plan} action={t.save} onClose={onClose}>
      <TextField {...form.text('name')} autoFocus />
      <ChoiceField {...form.pick('kind', { label: t.kind })} choices={choicesOf(kinds)} />
      {!isOfAsset && (
        <CategoryPicker {...form.pick('categoryId', { label: t.category, help: t.categoryHelp })} required />
      )}
      <Stack direction="row" spacing={2} sx={{ '& > *': { flex: 1 } }}>
        <NumberField {...form.number('every', { label: t.every })} required />
        <ChoiceField {...form.pick('unit', { label: t.unit })} choices={choicesOf(t.units)} />
      </Stack>
      <TextField {...form.text('firstDue', { label: t.firstDue })} {...shownDay} required />
      <NumberField {...form.number('leadDays', { label: t.leadDays, help: t.leadDaysHelp })} />
      {owner !== null && <PersonPicker {...form.pick('assigneeId', { label: t.assignee, help: t.assigneeHelp })} />}
      <TextField {...form.text('note')} multiline />
    </FormDialog>
  )
}

interface RecordDialogProps {
  assetId: number
  /** Undefined: a new one. */
  record?: MaintenanceRecord
  /** The plan that a new one fulfils. */
  planId?: number
  onClose: () => void
}

const recordValues = (record: MaintenanceRecord | undefined) => ({
  kind: record?.kind ?? ('SERVICE' as MaintenanceKind),
  doneOn: record?.doneOn ?? inputTime(serverTime()).slice(0, 10),
  planId: record?.planId ?? null,
  nextDue: record?.nextDue ?? '',
  cost: record?.cost ?? '',
  supplier: record?.supplier ?? '',
  result: record?.result ?? ('NONE' as MaintenanceResult),
  note: record?.note ?? '',
  status: null as 'IN_USE' | 'REPAIR' | null,
  fileIds: (record?.fileIds ?? []) as readonly number[],
})

export function RecordDialog({ assetId, record, planId, onClose }: RecordDialogProps) {
  const t = useTexts(words)
  const { kinds, results } = useTexts(shared)
  const owned = useOwnerQuery()
  const plans = useCall('assetPlans.list', { query: { ...owned, assetId, size: 100 } }).data?.items ?? []
  const [names, setNames] = useState(new Map(record?.files.map(({ fileId, name }) => [fileId, name])))
  const form = useForm(
    record === undefined ? 'assetMaintenance.create' : 'assetMaintenance.update',
    () => ({ ...recordValues(record), ...(planId !== undefined && { planId, kind: 'INSPECTION' as MaintenanceKind }) }),
    {
      from: record && { version: record.version, values: recordValues },
      done: t.recordSaved,
      refreshes: REFRESHED,
      onDone: onClose,
      input: ({ status, fileIds, nextDue, cost, ...values }) => ({
        params: record === undefined ? { id: assetId } : { id: assetId, recordId: record.id },
        query: owned,
        body: {
          ...values,
          cost: cost || null,
          nextDue: values.planId === null ? null : nextDue || null,
          fileIds: [...fileIds],
          ...(status !== null && values.kind === 'REPAIR' && { status }),
        },
      }),
    },
  )
  const { fileIds, kind, planId: chosen } = form.values
  const add = async (files: readonly File[]) => {
    for (const file of files.slice(0, 5 - fileIds.length)) {
      try {
        const { fileId, name } = await uploadFile(file, owned, () => undefined)
        setNames((before) => new Map(before).set(fileId, name ?? String(fileId)))
        form.set((now) => ({ fileIds: [...now.fileIds, fileId] }))
      } catch (error) {
        notify((error as Error).message, 'error')
      }
    }
    if (files.length > 5 - fileIds.length) notify(t.tooMany, 'error')
  }
  return (
    <FormDialog form={form} title={record === undefined ? t.newRecord : t.record} action={t.save} onClose={onClose}>
      <ChoiceField {...form.pick('kind', { label: t.kind })} choices={choicesOf(kinds)} />
      <TextField {...form.text('doneOn', { label: t.doneOn })} {...shownDay} required />
      {plans.length > 0 && (
        <ChoiceField {...form.pick('planId', { label: t.fulfils })} none={t.noPlan} choices={plans} />
      )}
      {chosen !== null && (
        <TextField {...form.text('nextDue', { label: t.nextDue, help: t.nextDueHelp })} {...shownDay} />
      )}
      <ChoiceField {...form.pick('result', { label: t.result })} choices={choicesOf(results)} />
      {kind === 'REPAIR' && (
        <ChoiceField {...form.pick('status', { label: t.status })} none={t.keep} choices={choicesOf(t.statuses)} />
      )}
      <TextField {...form.text('cost', { label: t.cost })} slotProps={{ htmlInput: { inputMode: 'decimal' } }} />
      <TextField {...form.text('supplier', { label: t.supplier })} />
      <TextField {...form.text('note')} multiline />
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
        {fileIds.map((id) => (
          <Chip
            key={id}
            label={names.get(id) ?? id}
            onDelete={() => form.set({ fileIds: fileIds.filter((one) => one !== id) })}
          />
        ))}
        {fileIds.length < 5 && (
          <FileButton multiple startIcon={<AttachFile />} onFiles={(files) => void add(files)}>
            {t.attach}
          </FileButton>
        )}
      </Stack>
    </FormDialog>
  )
}
