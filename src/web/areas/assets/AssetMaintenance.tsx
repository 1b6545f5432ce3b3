/** The maintenance of one asset: what is due, its plans, and what was done. */

import { Delete, Edit } from '@mui/icons-material'
import { Box, Button, Card, CardContent, IconButton, Link, Stack, Tooltip, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { Asset, MaintenancePlan, MaintenanceRecord } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { day } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useOwnerQuery } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { useInterval, words as shared } from './maintenance-words.ts'
import { PlanDialog, RecordDialog } from './MaintenanceDialogs.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'Maintenance',
    record: 'Record maintenance',
    addPlan: 'Add plan',
    plans: 'Plans',
    records: 'Done',
    noPlans: 'No plan holds for this asset.',
    noRecords: 'Nothing is recorded yet.',
    due: (when: string) => `due on ${when}`,
    overdue: (when: string) => `overdue since ${when}`,
    ofCategory: 'by its category',
    removePlan: (name: string) => `Delete the plan “${name}”?`,
    removePlanText: 'Its due dates go; what was recorded stays.',
    planRemoved: 'The plan was deleted.',
    removeRecord: 'Delete this record?',
    removeRecordText: 'Its files are deleted too, and the next due date is computed again.',
    recordRemoved: 'The record was deleted.',
  },
  zh: {
    ...common.zh,
    title: '维护',
    record: '登记维护',
    addPlan: '添加计划',
    plans: '计划',
    records: '记录',
    noPlans: '没有适用于该资产的计划。',
    noRecords: '还没有记录。',
    due: (when: string) => `${when} 到期`,
    overdue: (when: string) => `已逾期：${when}`,
    ofCategory: '来自分类',
    removePlan: (name: string) => `删除计划“${name}”？`,
    removePlanText: '到期日随之删除，已登记的记录保留。',
    planRemoved: '计划已删除。',
    removeRecord: '删除这条记录？',
    removeRecordText: '文件会一并删除，并重新计算下次到期日。',
    recordRemoved: '记录已删除。',
  },
})

type Dialog =
  | { kind: 'record'; record?: MaintenanceRecord; planId?: number }
  | { kind: 'plan'; plan?: MaintenancePlan }
  | { kind: 'deletePlan'; plan: MaintenancePlan }
  | { kind: 'deleteRecord'; record: MaintenanceRecord }

export function AssetMaintenance({ asset }: { asset: Asset }) {
  const t = useTexts(words)
  const may = useMay()
  const owned = useOwnerQuery()
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const mayChange = may('assetMaintenance.create')
  const isScrapped = asset.status === 'SCRAPPED'
  return (
    <Card variant="outlined">
      <CardContent>
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center', mb: 1 }}>
          <Typography variant="h2" sx={{ flex: 1 }}>
            {t.title}
          </Typography>
          {mayChange && !isScrapped && <Button onClick={() => setDialog({ kind: 'plan' })}>{t.addPlan}</Button>}
          {mayChange && <Button onClick={() => setDialog({ kind: 'record' })}>{t.record}</Button>}
        </Stack>
        {!isScrapped && <Plans asset={asset} mayChange={mayChange} onChoose={setDialog} />}
        <Typography variant="h3" sx={{ mt: 2 }}>
          {t.records}
        </Typography>
        <Records id={asset.id} mayChange={mayChange} onChoose={setDialog} />
      </CardContent>
      {dialog?.kind === 'record' && (
        <RecordDialog
          assetId={asset.id}
          {...(dialog.record && { record: dialog.record })}
          {...(dialog.planId !== undefined && { planId: dialog.planId })}
          onClose={close}
        />
      )}
      {dialog?.kind === 'plan' && (
        <PlanDialog assetId={asset.id} {...(dialog.plan && { plan: dialog.plan })} onClose={close} />
      )}
      {dialog?.kind === 'deletePlan' && <DeletePlan plan={dialog.plan} onClose={close} />}
      {dialog?.kind === 'deleteRecord' && (
        <ActionDialog
          operation="assetMaintenance.delete"
          input={{ params: { id: asset.id, recordId: dialog.record.id }, query: owned }}
          title={t.removeRecord}
          text={t.removeRecordText}
          action={t.delete}
          refreshes={['assetMaintenance', 'assets']}
          done={t.recordRemoved}
          onClose={close}
        />
      )}
    </Card>
  )
}

export function DeletePlan({ plan, onClose }: { plan: MaintenancePlan; onClose: () => void }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  return (
    <ActionDialog
      operation="assetPlans.delete"
      input={{ params: { id: plan.id }, query: owned }}
      title={t.removePlan(plan.name)}
      text={t.removePlanText}
      action={t.delete}
      refreshes={['assetPlans', 'assetMaintenance', 'assets']}
      done={t.planRemoved}
      onClose={onClose}
    />
  )
}

/** A line of a list, with buttons at its end. */
export const Line = ({ children, actions }: { children: ReactNode; actions: ReactNode }) => (
  <Stack
    component="li"
    direction="row"
    spacing={1}
    sx={{ alignItems: 'center', py: 1, borderTop: 1, borderColor: 'divider', '&:first-of-type': { borderTop: 0 } }}
  >
    <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>{children}</Box>
    {actions}
  </Stack>
)

export function IconAction({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <Tooltip title={label}>
      <IconButton aria-label={label} onClick={onClick}>
        {icon}
      </IconButton>
    </Tooltip>
  )
}

interface ListProps {
  mayChange: boolean
  onChoose: (dialog: Dialog) => void
}

function Plans({ asset: { id }, mayChange, onChoose }: ListProps & { asset: Asset }) {
  const t = useTexts(words)
  const { kinds } = useTexts(shared)
  const interval = useInterval()
  const owned = useOwnerQuery()
  const plans = useCall('assetPlans.list', { query: { ...owned, assetId: id, size: 100 } })
  const due = useCall('assetMaintenance.due', { query: { ...owned, assetId: id, size: 100 } })
  if (plans.error !== null) return <ErrorNotice error={plans.error} onRetry={() => void plans.refetch()} />
  if (plans.data === undefined) return <Loading />
  if (plans.data.items.length === 0) return <Typography color="text.secondary">{t.noPlans}</Typography>
  return (
    <Box component="ul" aria-label={t.plans} sx={{ p: 0, m: 0, listStyle: 'none' }}>
      {plans.data.items.map((plan) => {
        const at = due.data?.items.find(({ planId }) => planId === plan.id)
        return (
          <Line
            key={plan.id}
            actions={
              mayChange && (
                <>
                  <Button size="small" onClick={() => onChoose({ kind: 'record', planId: plan.id })}>
                    {t.record}
                  </Button>
                  {plan.assetId !== null && (
                    <>
                      <IconAction label={t.edit} icon={<Edit />} onClick={() => onChoose({ kind: 'plan', plan })} />
                      <IconAction
                        label={t.delete}
                        icon={<Delete />}
                        onClick={() => onChoose({ kind: 'deletePlan', plan })}
                      />
                    </>
                  )}
                </>
              )
            }
          >
            <Typography>{plan.name}</Typography>
            <Typography variant="body2" color={at?.overdue ? 'error' : 'text.secondary'}>
              {[
                at && (at.overdue ? t.overdue(day(at.dueOn)) : t.due(day(at.dueOn))),
                kinds[plan.kind],
                interval(plan.every),
                plan.assetId === null && t.ofCategory,
              ]
                .filter(Boolean)
                .join(' · ')}
            </Typography>
          </Line>
        )
      })}
    </Box>
  )
}

function Records({ id, mayChange, onChoose }: ListProps & { id: number }) {
  const t = useTexts(words)
  const { kinds, results } = useTexts(shared)
  const owned = useOwnerQuery()
  const list = usePages('assetMaintenance.list', { params: { id }, query: owned }, { size: 10 })
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={list.retry} />
  if (list.items === undefined) return <Loading />
  if (list.items.length === 0) return <Typography color="text.secondary">{t.noRecords}</Typography>
  return (
    <>
      <Box component="ul" aria-label={t.records} sx={{ p: 0, m: 0, listStyle: 'none' }}>
        {list.items.map((record) => (
          <Line
            key={record.id}
            actions={
              mayChange && (
                <>
                  <IconAction label={t.edit} icon={<Edit />} onClick={() => onChoose({ kind: 'record', record })} />
                  <IconAction
                    label={t.delete}
                    icon={<Delete />}
                    onClick={() => onChoose({ kind: 'deleteRecord', record })}
                  />
                </>
              )
            }
          >
            <Typography>
              {[day(record.doneOn), kinds[record.kind], record.result !== 'NONE' && results[record.result]]
                .filter(Boolean)
                .join(' · ')}
            </Typography>
            <Typography variant="body2" color="text.secondary">
              {[record.cost, record.supplier, record.note].filter(Boolean).join(' · ')}
            </Typography>
            {record.files.map(({ fileId, name, url }) => (
              <Link key={fileId} href={url} target="_blank" rel="noopener" variant="body2" sx={{ mr: 1 }}>
                {name}
              </Link>
            ))}
          </Line>
        ))}
      </Box>
      <MoreButton shown={list.items.length} total={list.total} onMore={list.more} isLoading={list.isLoading} />
    </>
  )
}
