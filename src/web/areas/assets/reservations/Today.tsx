/** The page of a keeper for today: hand out, take back, decide. Scanning comes first. */

import { EventAvailable } from '@mui/icons-material'
import { Button, Stack } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import type { AssetReservation } from '../../../api/types.ts'
import { number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useOwner } from '../../../session/session.ts'
import { EmptyState, ErrorNotice, Loading } from '../../../ui/Answer.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Section } from '../../../ui/parts.tsx'
import { Desk } from './Desk.tsx'
import { HandoverDialog } from './HandoverDialog.tsx'
import { OrganizationsOnly, ReservationCard } from './parts.tsx'
import { ApproveDialog, RejectDialog } from './ReservationDialogs.tsx'
import { type TodayLists, useTodayLists } from './use-desk.ts'

const words = texts({
  en: {
    title: 'Handing out today',
    decide: (n: string) => `To decide (${n})`,
    handOut: (n: string) => `To hand out (${n})`,
    takeBack: (n: string) => `To take back (${n})`,
    later: (n: string) => `Due later (${n})`,
    approve: 'Approve',
    reject: 'Reject',
    scan: 'Scan for this',
    chosen: 'Scanning for this',
    handOutOne: 'Hand out',
    back: 'Take back',
    empty: 'Nothing to do today',
    emptyText: 'Reservations that begin today and loans that are due today are listed here.',
    calendar: 'Open the calendar',
  },
  zh: {
    title: '今日借还',
    decide: (n: string) => `待审批（${n}）`,
    handOut: (n: string) => `待借出（${n}）`,
    takeBack: (n: string) => `待归还（${n}）`,
    later: (n: string) => `之后到期（${n}）`,
    approve: '批准',
    reject: '拒绝',
    scan: '为此扫码',
    chosen: '正在为此扫码',
    handOutOne: '借出',
    back: '归还',
    empty: '今天没有待办',
    emptyText: '今天开始的预约和今天到期的借用会列在这里。',
    calendar: '打开日历',
  },
})

export default function Today() {
  const t = useTexts(words)
  const owner = useOwner()
  return (
    <Page title={t.title} back="/reservations">
      {owner === null ? <OrganizationsOnly /> : <Lists key={owner.id} orgId={owner.id} />}
    </Page>
  )
}

type Dialog = { readonly kind: 'approve' | 'reject' | 'pickUp' | 'return'; readonly reservation: AssetReservation }

function Lists({ orgId }: { orgId: number }) {
  const { lists, now, error, retry } = useTodayLists()
  const [chosenId, setChosen] = useState<number>()
  const [dialog, setDialog] = useState<Dialog>()
  if (lists === undefined) return error ? <ErrorNotice error={error} onRetry={retry} /> : <Loading />
  const close = () => setDialog(undefined)
  const current = dialog && { reservation: dialog.reservation, onClose: close }
  return (
    <>
      <Desk orgId={orgId} lists={lists} chosenId={chosenId} onChoose={setChosen} />
      <Sections lists={lists} now={now} chosenId={chosenId} onChoose={setChosen} onDialog={setDialog} />
      {current && dialog.kind === 'approve' && <ApproveDialog {...current} />}
      {current && dialog.kind === 'reject' && <RejectDialog {...current} />}
      {current && (dialog.kind === 'pickUp' || dialog.kind === 'return') && (
        <HandoverDialog {...current} action={dialog.kind} />
      )}
    </>
  )
}

interface SectionsProps {
  lists: TodayLists
  now: number
  chosenId: number | undefined
  onChoose: (id: number | undefined) => void
  onDialog: (dialog: Dialog) => void
}

function Sections({ lists, now, chosenId, onChoose, onDialog }: SectionsProps) {
  const t = useTexts(words)
  const { requested, handOut, takeBack, later } = lists
  const open = (kind: Dialog['kind'], reservation: AssetReservation) => () => onDialog({ kind, reservation })
  const back = (reservation: AssetReservation) => (
    <Button variant="outlined" onClick={open('return', reservation)}>
      {t.back}
    </Button>
  )
  if ([requested, handOut, takeBack, later].every((list) => list.length === 0))
    return (
      <EmptyState
        icon={EventAvailable}
        title={t.empty}
        text={t.emptyText}
        action={
          <Button component={Link} to="/reservations/calendar" variant="contained">
            {t.calendar}
          </Button>
        }
      />
    )
  return (
    <>
      <Group title={t.decide(number(requested.length))} list={requested} now={now}>
        {(reservation) => (
          <>
            <Button variant="contained" onClick={open('approve', reservation)}>
              {t.approve}
            </Button>
            <Button color="error" onClick={open('reject', reservation)}>
              {t.reject}
            </Button>
          </>
        )}
      </Group>
      <Group title={t.handOut(number(handOut.length))} list={handOut} now={now}>
        {(reservation) => {
          const isChosen = reservation.id === chosenId
          return (
            <>
              <Button
                variant={isChosen ? 'contained' : 'outlined'}
                aria-pressed={isChosen}
                onClick={() => onChoose(isChosen ? undefined : reservation.id)}
              >
                {isChosen ? t.chosen : t.scan}
              </Button>
              <Button onClick={open('pickUp', reservation)}>{t.handOutOne}</Button>
            </>
          )
        }}
      </Group>
      <Group title={t.takeBack(number(takeBack.length))} list={takeBack} now={now}>
        {back}
      </Group>
      <Group title={t.later(number(later.length))} list={later} now={now}>
        {back}
      </Group>
    </>
  )
}

interface GroupProps {
  title: string
  list: readonly AssetReservation[]
  now: number
  children: (reservation: AssetReservation) => React.ReactNode
}

function Group({ title, list, now, children }: GroupProps) {
  if (list.length === 0) return null
  return (
    <Section title={title}>
      <Stack component="ul" aria-label={title} sx={{ p: 0, m: 0, listStyle: 'none' }}>
        {list.map((reservation) => (
          <ReservationCard key={reservation.id} reservation={reservation} now={now} actions={children(reservation)} />
        ))}
      </Stack>
    </Section>
  )
}
