/** The check-in lists of an activity: workshops, meals and other doors, on each of which a pass counts apart. */

import { Add, ArrowDownward, ArrowUpward, Delete, EditOutlined, FactCheck } from '@mui/icons-material'
import { Button, IconButton } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../../api/hooks.ts'
import { usePages } from '../../../api/pages.ts'
import type { Activity, CheckInList } from '../../../api/types.ts'
import { useEnum } from '../../../i18n/enums.ts'
import { number, timeIn } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ActionDialog } from '../../../ui/ActionDialog.tsx'
import { Nothing, part } from '../../../ui/part.tsx'
import { Row } from '../../../ui/Rows.tsx'
import { useRights } from '../rights.ts'
import { RowsCard } from '../RowsCard.tsx'
import { activityWords } from '../words.ts'

const ListDialog = part(() => import('./ListDialog.tsx'), Nothing)

const words = texts({
  en: {
    lists: 'Check-in lists',
    about: 'The entrance of the activity needs no list. On each list a pass counts apart, whatever it did elsewhere.',
    create: 'New list',
    editButton: (name: string) => `Edit ${name}`,
    removeButton: (name: string) => `Delete ${name}`,
    up: (name: string) => `Move ${name} up`,
    down: (name: string) => `Move ${name} down`,
    admitted: (n: string, inside: string) => `${n} admitted, ${inside} inside`,
    opens: (time: string) => `from ${time}`,
    closes: (time: string) => `until ${time}`,
    uses: (n: number) => (n === 0 ? 'any number of entries' : n === 1 ? '1 entry' : `${n} entries`),
    templates: (n: number) => (n === 1 ? 'passes of 1 template' : `passes of ${n} templates`),
    after: 'after the entrance',
    removeTitle: (name: string) => `Delete the list “${name}”?`,
    removeText: 'Gates can no longer choose it. Its scans stay in the records, with its name. This cannot be undone.',
    removed: 'The list is deleted.',
    empty: 'No lists yet',
    emptyText: 'Add one for each workshop, meal or inner door. Then choose it at the gate.',
  },
  zh: {
    lists: '签到名单',
    about: '活动入口不需要名单。通行证在每个名单上单独计次，互不影响。',
    create: '新建名单',
    editButton: (name: string) => `编辑 ${name}`,
    removeButton: (name: string) => `删除 ${name}`,
    up: (name: string) => `上移 ${name}`,
    down: (name: string) => `下移 ${name}`,
    admitted: (n: string, inside: string) => `已入场 ${n}，在场 ${inside}`,
    opens: (time: string) => `${time} 起`,
    closes: (time: string) => `至 ${time}`,
    uses: (n: number) => (n === 0 ? '不限次数' : `${n} 次`),
    templates: (n: number) => `仅 ${n} 个模板的通行证`,
    after: '须先在入口入场',
    removeTitle: (name: string) => `删除名单“${name}”？`,
    removeText: '检票时将不能再选择此名单；已有记录保留并显示名单名称。此操作无法撤销。',
    removed: '名单已删除。',
    empty: '还没有名单',
    emptyText: '可为每个分会场、用餐或内场入口建立名单，检票时选择即可。',
  },
})

/** As many as an activity can have. */
const MOST = 100

export default function CheckInLists({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const can = useRights(activity)
  const params = { id: activity.id }
  const query = usePages('checkInLists.list', { params }, { size: MOST })
  const [edited, setEdited] = useState<CheckInList | 'new'>()
  const [removed, setRemoved] = useState<CheckInList>()
  const isOver = activity.status === 'ENDED' || activity.status === 'CANCELLED'
  const isManager = can('checkInLists.update') && !isOver
  const reorder = useAction('checkInLists.reorder')
  const { items = [] } = query
  const move = (at: number, by: 1 | -1) => {
    const ids = items.map(({ id }) => id)
    ids.splice(at + by, 0, ...ids.splice(at, 1))
    reorder.mutate({ params, body: { ids } })
  }
  const create = isManager && items.length < MOST && (
    <Button variant="contained" startIcon={<Add />} onClick={() => setEdited('new')} data-create>
      {t.create}
    </Button>
  )
  return (
    <>
      <RowsCard query={query} icon={FactCheck} words={{ ...t, label: t.lists }} create={create} keyOf={({ id }) => id}>
        {(list) => (
          <ListRow
            list={list}
            zone={activity.timeZone}
            {...(isManager && {
              at: items.indexOf(list),
              count: items.length,
              isBusy: reorder.isPending,
              onMove: move,
              onEdit: () => setEdited(list),
              onRemove: () => setRemoved(list),
            })}
          />
        )}
      </RowsCard>
      {edited && (
        <ListDialog
          activity={activity}
          list={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {removed && (
        <ActionDialog
          operation="checkInLists.delete"
          input={{ params: { ...params, listId: removed.id } }}
          title={t.removeTitle(removed.name)}
          text={t.removeText}
          action={t.removeButton(removed.name)}
          done={t.removed}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  )
}

interface ListRowProps {
  list: CheckInList
  zone: string
  at?: number
  count?: number
  isBusy?: boolean
  /** The following are undefined for those who may not change lists. */
  onMove?: (at: number, by: 1 | -1) => void
  onEdit?: () => void
  onRemove?: () => void
}

function ListRow({ list, zone, at = 0, count = 0, isBusy = false, onMove, onEdit, onRemove }: ListRowProps) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const kindOf = useEnum('checkInListKind')
  return (
    <Row
      title={list.name}
      details={
        <>
          <div>{t.admitted(number(list.admitted), number(list.inside))}</div>
          {[
            kindOf(list.kind),
            list.place,
            list.opensAt !== null && t.opens(timeIn(list.opensAt, zone)),
            list.closesAt !== null && t.closes(timeIn(list.closesAt, zone)),
            list.maxUses !== 1 && t.uses(list.maxUses),
            list.templateIds.length > 0 && t.templates(list.templateIds.length),
            list.requiresEntry && t.after,
          ]
            .filter(Boolean)
            .join(' · ')}
        </>
      }
      actions={
        onMove && (
          <>
            <IconButton aria-label={t.up(list.name)} disabled={isBusy || at === 0} onClick={() => onMove(at, -1)}>
              <ArrowUpward />
            </IconButton>
            <IconButton
              aria-label={t.down(list.name)}
              disabled={isBusy || at === count - 1}
              onClick={() => onMove(at, 1)}
            >
              <ArrowDownward />
            </IconButton>
            <IconButton aria-label={t.editButton(list.name)} title={shared.edit} onClick={onEdit}>
              <EditOutlined />
            </IconButton>
            <IconButton aria-label={t.removeButton(list.name)} title={shared.delete} onClick={onRemove}>
              <Delete />
            </IconButton>
          </>
        )
      }
    />
  )
}
