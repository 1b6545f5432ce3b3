/** Every entry and every refusal at the gate: of an activity, or of one pass. */

import { Card, CardContent, Chip, FormControlLabel, Stack, Switch } from '@mui/material'
import { useState } from 'react'

import { useAll, usePages } from '../../api/pages.ts'
import type { PassUse } from '../../api/types.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ChoiceField } from '../../ui/fields.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Status } from '../../ui/Status.tsx'
import { reasonWords } from './reasons.ts'
import { UndoUse, type UndoUseProps } from './UndoUse.tsx'

const words = texts({
  en: {
    records: 'Scans at the gate',
    entry: 'Let in',
    exit: 'Left',
    double: 'Used twice',
    offline: 'without connection',
    onlyDouble: 'Only passes that were used twice',
    empty: 'No pass has been scanned yet.',
    emptyDouble: 'No pass has been used twice.',
    unknown: 'Unknown pass',
    list: 'Check-in list',
    anywhere: 'All',
    at: (gate: string, device: string | null) => (device === null ? gate : `${gate} (${device})`),
    undone: 'Undone',
    undoneBy: (name: string, time: string) => `undone by ${name}, ${time}`,
  },
  zh: {
    records: '检票记录',
    entry: '已入场',
    exit: '已离场',
    double: '重复使用',
    offline: '离线检票',
    onlyDouble: '只看重复使用的',
    empty: '还没有检票记录。',
    emptyDouble: '没有重复使用的通行证。',
    unknown: '未知通行证',
    list: '签到名单',
    anywhere: '全部',
    at: (gate: string, device: string | null) => (device === null ? gate : `${gate}（${device}）`),
    undone: '已撤销',
    undoneBy: (name: string, time: string) => `由 ${name} 于 ${time} 撤销`,
  },
})

export interface UsesProps {
  activityId: number
  /** Whether the user may undo uses. */
  canUndo: boolean
}

export function PassUses({ activityId, canUndo }: UsesProps) {
  const t = useTexts(words)
  const [isDoubleUse, setDoubleUse] = useState(false)
  const [listId, setListId] = useState<number | null>(null)
  const params = { id: activityId }
  const lists = useAll('checkInLists.list', { params })
  const query = usePages('passes.activityRecords', {
    params,
    query: { ...(isDoubleUse && { isDoubleUse }), ...(listId !== null && { listId }) },
  })
  return (
    <Card variant="outlined">
      <CardContent>
        <Stack direction="row" useFlexGap sx={{ mb: 1, columnGap: 2, flexWrap: 'wrap', alignItems: 'center' }}>
          {(lists.data?.length ?? 0) > 0 && (
            <ChoiceField
              label={t.list}
              value={listId}
              onChange={setListId}
              choices={lists.data ?? []}
              none={t.anywhere}
              sx={{ minWidth: 180 }}
            />
          )}
          <FormControlLabel
            control={<Switch checked={isDoubleUse} onChange={(_, checked) => setDoubleUse(checked)} />}
            label={t.onlyDouble}
          />
        </Stack>
        <Rows query={query} label={t.records} keyOf={({ id }) => id} empty={isDoubleUse ? t.emptyDouble : t.empty}>
          {(use) => <UseRow use={use} {...(canUndo && isLatest(use, query.items) && { undo: { activityId } })} />}
        </Rows>
      </CardContent>
    </Card>
  )
}

/** The scans of one pass. */
export function UsesOfPass({ activityId, canUndo, passId }: UsesProps & { passId: number }) {
  const t = useTexts(words)
  const query = usePages('passes.records', { params: { passId } }, { size: 10 })
  return (
    <Rows query={query} label={t.records} keyOf={({ id }) => id} empty={t.empty}>
      {(use) => (
        <UseRow use={use} isNameless {...(canUndo && isLatest(use, query.items) && { undo: { activityId } })} />
      )}
    </Rows>
  )
}

/** Whether it is the use of its pass that can be undone. `uses`: the newest first. */
export const isLatest = ({ id, passId, list }: PassUse, uses: readonly PassUse[] = []): boolean =>
  passId !== null &&
  // Each list has a latest use of its own.
  uses.find(
    (use) => use.passId === passId && use.list?.id === list?.id && use.result === 'ACCEPTED' && use.undoneAt === null,
  )?.id === id

interface UseRowProps {
  use: PassUse
  isNameless?: boolean
  /** If the use can be undone. */
  undo?: Omit<UndoUseProps, 'use'>
}

export function UseRow({ use, isNameless = false, undo }: UseRowProps) {
  const t = useTexts(words)
  const reasons = useTexts(reasonWords)
  const isAccepted = use.result === 'ACCEPTED'
  const { undoneAt, undoneBy } = use
  const time = [
    dateTime(use.usedAt),
    use.list?.name,
    use.gate && t.at(use.gate.name, use.gate.deviceName),
    use.offline && t.offline,
    undoneAt !== null && undoneBy !== null && t.undoneBy(undoneBy.name, dateTime(undoneAt)),
    use.undoReason,
  ]
    .filter(Boolean)
    .join(' · ')
  return (
    <Row
      title={isNameless ? time : use.holderName || t.unknown}
      {...(!isNameless && { details: time })}
      actions={
        use.isDoubleUse ? (
          <Chip size="small" color="error" variant="outlined" label={t.double} />
        ) : undoneAt !== null ? (
          <Status tone="neutral" text={t.undone} />
        ) : (
          <>
            <Status
              tone={isAccepted ? 'good' : 'bad'}
              text={isAccepted ? (use.direction === 'EXIT' ? t.exit : t.entry) : reasons[use.reason ?? 'UNKNOWN']}
            />
            {undo && <UndoUse {...undo} use={use} />}
          </>
        )
      }
    />
  )
}
