/** The passes of an activity, for its managers: issuing, searching, printing, revoking, and the records of the gate. */

import { Add, ConfirmationNumber, EditNote, Print } from '@mui/icons-material'
import { Box, Button, Card, CardActionArea, CardContent, Stack, ToggleButton, ToggleButtonGroup } from '@mui/material'
import { useState } from 'react'

import { useDownload } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { Activity, Pass, PassStatus } from '../../api/types.ts'
import { useChoices } from '../../i18n/enums.ts'
import { labelled, timeIn } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { usePrinting } from '../../ui/AddressWarning.tsx'
import { EmptyState } from '../../ui/Answer.tsx'
import { EnumChip } from '../../ui/enums.tsx'
import { MenuButton, MenuEntry } from '../../ui/MenuButton.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { IssueDialog } from './IssueDialog.tsx'
import { PassBatch } from './PassBatch.tsx'
import { PassDialog } from './PassDialog.tsx'
import { PassUses } from './PassUses.tsx'
import { useRights } from './rights.ts'
import { SearchAndStatus } from './SearchAndStatus.tsx'
import { activityWords } from './words.ts'

const words = texts({
  en: {
    passes: 'Passes',
    records: 'Scans at the gate',
    views: 'Passes or scans',
    issue: 'Issue passes',
    batch: 'Change many',
    print: 'Print',
    pdf: 'Sheets of eight passes (PDF)',
    zip: 'Pictures of the codes (ZIP)',
    csv: 'Table (CSV)',
    used: (n: number, of: string) => `${n} of ${of} entries used`,
    until: (time: string) => `valid until ${time}`,
    empty: 'No passes yet',
    emptyText:
      'Issue passes to everyone who has registered, or to guests by name. Print them or send each guest the link.',
    emptyDraft: 'Passes can be issued now; they are valid at the gate after the activity is published.',
  },
  zh: {
    passes: '通行证',
    records: '检票记录',
    views: '显示内容',
    issue: '发放通行证',
    batch: '批量处理',
    print: '打印',
    pdf: '每页八张（PDF）',
    zip: '二维码图片（ZIP）',
    csv: '表格（CSV）',
    used: (n: number, of: string) => `已用 ${n} / ${of} 次`,
    until: (time: string) => `有效期至 ${time}`,
    empty: '还没有通行证',
    emptyText: '可以发放给所有已报名者，或按姓名发放给来宾；可打印，也可把链接发给来宾。',
    emptyDraft: '现在即可发放，活动发布后可在入口使用。',
  },
})

export function Passes({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const can = useRights(activity)
  const statuses = useChoices('passStatus')
  const [view, setView] = useState<'passes' | 'records'>('passes')
  const { filters, set, query: filter } = useFilters({ keyword: '', status: null as PassStatus | null })
  /** The id of a pass. */
  const [dialog, setDialog] = useState<'issue' | 'batch' | number | null>(null)
  const params = { id: activity.id }
  const query = usePages('passes.list', { params, query: filter })
  const isFiltered = Object.keys(filter).length > 0
  const open = query.items?.find(({ id }) => id === dialog)
  const isOver = activity.status === 'ENDED' || activity.status === 'CANCELLED'
  const issue = can('passes.issue') && !isOver && (
    <Button variant="contained" startIcon={<Add />} onClick={() => setDialog('issue')} data-create>
      {t.issue}
    </Button>
  )
  const isEmpty = query.items?.length === 0 && !isFiltered
  return (
    <Stack spacing={2}>
      {!isEmpty && (
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
          <ToggleButtonGroup
            exclusive
            color="primary"
            value={view}
            aria-label={t.views}
            onChange={(_, next: 'passes' | 'records' | null) => next && setView(next)}
          >
            <ToggleButton value="passes" sx={{ '&:not(.Mui-selected)': { color: 'text.primary' } }}>
              {t.passes}
            </ToggleButton>
            <ToggleButton value="records" sx={{ '&:not(.Mui-selected)': { color: 'text.primary' } }}>
              {t.records}
            </ToggleButton>
          </ToggleButtonGroup>
          <Box sx={{ flex: 1 }} />
          {(can('passes.update') || can('passes.revoke')) && (
            <Button variant="outlined" startIcon={<EditNote />} onClick={() => setDialog('batch')}>
              {t.batch}
            </Button>
          )}
          <PrintButton activityId={activity.id} filter={filter} />
          {issue}
        </Stack>
      )}
      {view === 'records' && <PassUses activityId={activity.id} canUndo={can('passes.undo')} />}
      {view === 'passes' && (
        <Card variant="outlined">
          <CardContent>
            {!isEmpty && <SearchAndStatus filters={filters} set={set} statuses={statuses} />}
            <Rows
              query={query}
              label={t.passes}
              keyOf={({ id }) => id}
              empty={
                isFiltered ? (
                  shared.notFound
                ) : (
                  <EmptyState
                    icon={ConfirmationNumber}
                    title={t.empty}
                    text={activity.status === 'DRAFT' ? `${t.emptyText} ${t.emptyDraft}` : t.emptyText}
                    action={issue}
                  />
                )
              }
            >
              {(pass) => <PassRow pass={pass} zone={activity.timeZone} onOpen={() => setDialog(pass.id)} />}
            </Rows>
          </CardContent>
        </Card>
      )}
      {dialog === 'issue' && <IssueDialog activity={activity} onClose={() => setDialog(null)} />}
      {dialog === 'batch' && <PassBatch activity={activity} filter={filter} onClose={() => setDialog(null)} />}
      {open && <PassDialog activity={activity} pass={open} onClose={() => setDialog(null)} />}
    </Stack>
  )
}

interface PrintProps {
  activityId: number
  filter: { readonly keyword?: string; readonly status?: PassStatus }
}

function PrintButton({ activityId, filter }: PrintProps) {
  const t = useTexts(words)
  const file = useDownload()
  const { ask, question } = usePrinting()
  const save = (format: 'pdf' | 'zip' | 'csv') =>
    file.mutate(['passes.list', { params: { id: activityId }, query: { ...filter, format } }])
  return (
    <>
      <MenuButton label={t.print} icon={<Print />} loading={file.isPending}>
        {(['pdf', 'zip', 'csv'] as const).map((format) => (
          <MenuEntry key={format} text={t[format]} onClick={() => ask(() => save(format))} />
        ))}
      </MenuButton>
      {question}
    </>
  )
}

function PassRow({ pass, zone, onOpen }: { pass: Pass; zone: string; onOpen: () => void }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  return (
    <CardActionArea
      onClick={onOpen}
      sx={{ mx: -1, px: 1, width: 'calc(100% + 16px)', font: 'inherit', borderRadius: 1 }}
    >
      <Row
        title={pass.holderName}
        details={[
          t.used(pass.usedCount, pass.maxUses === 0 ? shared.unlimited : String(pass.maxUses)),
          pass.validTo !== null && t.until(timeIn(pass.validTo, zone)),
          ...pass.fields.map(({ label, value }) => labelled(label, value)),
        ]
          .filter(Boolean)
          .join(' · ')}
        actions={<EnumChip of="passStatus" value={pass.status} />}
      />
    </CardActionArea>
  )
}
