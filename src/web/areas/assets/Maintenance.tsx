/** Maintenance of the workspace: what is due, and the plans of categories and assets. */

import { Build, Delete, Edit } from '@mui/icons-material'
import { Box, Button, Card, Link as MuiLink, Stack, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { usePages } from '../../api/pages.ts'
import type { MaintenanceDue, MaintenancePlan } from '../../api/types.ts'
import { serverTime } from '../../browser/server-time.ts'
import { common } from '../../i18n/common.ts'
import { day, inputTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { DeletePlan, IconAction, Line } from './AssetMaintenance.tsx'
import { useInterval, words as shared } from './maintenance-words.ts'
import { PlanDialog, RecordDialog } from './MaintenanceDialogs.tsx'
import { AssetTabs } from './parts.tsx'
import { useNames } from './places.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Maintenance',
    show: 'Period',
    kinds: { soon: 'Next 30 days', overdue: 'Overdue', all: 'All' },
    record: 'Done',
    due: (when: string) => `due on ${when}`,
    overdue: (when: string) => `overdue since ${when}`,
    empty: 'Nothing is due',
    emptyText: 'Plans say what is to be serviced or inspected, and when.',
    plans: 'Plans',
    newPlan: 'New plan',
    noPlans: 'There are no plans yet. A plan of a category holds for all of its assets.',
    oneAsset: 'one asset',
  },
  zh: {
    ...common.zh,
    title: '维护',
    show: '显示范围',
    kinds: { soon: '未来 30 天', overdue: '已逾期', all: '全部' },
    record: '登记完成',
    due: (when: string) => `${when} 到期`,
    overdue: (when: string) => `已逾期：${when}`,
    empty: '没有到期的维护',
    emptyText: '计划规定哪些资产需要保养或检查，以及何时进行。',
    plans: '计划',
    newPlan: '新建计划',
    noPlans: '还没有计划。分类的计划适用于其所有资产。',
    oneAsset: '单件资产',
  },
})

type Kind = 'soon' | 'overdue' | 'all'

const soon = () => inputTime(serverTime() + 30 * 86_400_000).slice(0, 10)

export default function Maintenance() {
  const t = useTexts(words)
  const may = useMay()
  const [params, setParams] = useSearchParams()
  const kind = (params.get('show') ?? 'soon') as Kind
  const [to] = useState(soon)
  const [done, setDone] = useState<MaintenanceDue>()
  const due = usePages('assetMaintenance.due', {
    query: { ...ownerQuery(), ...(kind === 'soon' && { to }), ...(kind === 'overdue' && { overdue: true }) },
  })
  return (
    <Page title={t.title}>
      <AssetTabs />
      <ToggleButtonGroup
        exclusive
        size="small"
        value={kind}
        aria-label={t.show}
        onChange={(_, next: Kind | null) => next !== null && setParams({ show: next }, { replace: true })}
        sx={{ mb: 2 }}
      >
        {(['soon', 'overdue', 'all'] as const).map((one) => (
          <ToggleButton key={one} value={one} sx={{ px: 2 }}>
            {t.kinds[one]}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      {due.error !== null && <ErrorNotice error={due.error} onRetry={due.retry} />}
      {due.items === undefined && due.error === null && <Loading />}
      {due.items?.length === 0 && <EmptyState icon={Build} title={t.empty} text={t.emptyText} />}
      {due.items !== undefined && due.items.length > 0 && (
        <>
          <Card variant="outlined" component="ul" aria-label={t.title} sx={{ px: 2, py: 0, m: 0, listStyle: 'none' }}>
            {due.items.map((row) => (
              <Line
                key={`${row.assetId} ${row.planId}`}
                actions={
                  may('assetMaintenance.create') && (
                    <Button size="small" onClick={() => setDone(row)}>
                      {t.record}
                    </Button>
                  )
                }
              >
                <MuiLink component={Link} to={`/assets/${row.assetId}`}>
                  {row.name} ({row.assetNo})
                </MuiLink>
                <Typography variant="body2" color={row.overdue ? 'error' : 'text.secondary'}>
                  {row.planName} · {row.overdue ? t.overdue(day(row.dueOn)) : t.due(day(row.dueOn))}
                </Typography>
              </Line>
            ))}
          </Card>
          <MoreButton shown={due.items.length} total={due.total} onMore={due.more} isLoading={due.isLoading} />
        </>
      )}
      <Box sx={{ mt: 3 }}>
        <Plans />
      </Box>
      {done !== undefined && (
        <RecordDialog assetId={done.assetId} planId={done.planId} onClose={() => setDone(undefined)} />
      )}
    </Page>
  )
}

function Plans() {
  const t = useTexts(words)
  const { kinds } = useTexts(shared)
  const interval = useInterval()
  const may = useMay()
  const names = useNames()
  const [dialog, setDialog] = useState<{ kind: 'edit' | 'delete'; plan: MaintenancePlan }>()
  const close = () => setDialog(undefined)
  const list = usePages('assetPlans.list', { query: ownerQuery() })
  const mayChange = may('assetPlans.create')
  return (
    <Section
      title={t.plans}
      actions={
        mayChange && (
          <DialogButton label={t.newPlan} isNew>
            {(onClose) => <PlanDialog onClose={onClose} />}
          </DialogButton>
        )
      }
    >
      {list.error !== null && <ErrorNotice error={list.error} onRetry={list.retry} />}
      {list.items?.length === 0 && <Typography color="text.secondary">{t.noPlans}</Typography>}
      <Stack component="ul" aria-label={t.plans} sx={{ p: 0, m: 0, listStyle: 'none' }}>
        {list.items?.map((plan) => (
          <Line
            key={plan.id}
            actions={
              mayChange && (
                <>
                  <IconAction label={t.edit} icon={<Edit />} onClick={() => setDialog({ kind: 'edit', plan })} />
                  <IconAction label={t.delete} icon={<Delete />} onClick={() => setDialog({ kind: 'delete', plan })} />
                </>
              )
            }
          >
            <Typography>{plan.name}</Typography>
            <Typography variant="body2" color="text.secondary">
              {[
                plan.assetId === null ? names.category(plan.categoryId) : t.oneAsset,
                kinds[plan.kind],
                interval(plan.every),
                plan.assigneeId === null ? '' : names.person(plan.assigneeId),
              ]
                .filter(Boolean)
                .join(' · ')}
            </Typography>
          </Line>
        ))}
      </Stack>
      {list.items !== undefined && (
        <MoreButton shown={list.items.length} total={list.total} onMore={list.more} isLoading={list.isLoading} />
      )}
      {dialog?.kind === 'edit' && <PlanDialog plan={dialog.plan} onClose={close} />}
      {dialog?.kind === 'delete' && <DeletePlan plan={dialog.plan} onClose={close} />}
    </Section>
  )
}
