/** One reservation: what, when, for whom, and what can be done with it. */

import { AssignmentReturn, Check, Close, Edit, EventBusy, Output } from '@mui/icons-material'
import { Alert, Box, Button, Link as MuiLink, Stack, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useParams } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import type { AssetReservation } from '../../../api/types.ts'
import { dateTime } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useRowQuery, useSession } from '../../../session/session.ts'
import { OwnedAnswer } from '../../../ui/Owned.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Facts, Section } from '../../../ui/parts.tsx'
import { Status } from '../../../ui/Status.tsx'
import { useOpenedAt } from '../parts.tsx'
import { useNames } from '../places.ts'
import { HandoverDialog } from './HandoverDialog.tsx'
import { itemText, ReservationStatus } from './parts.tsx'
import { ApproveDialog, CancelDialog, ChangeDialog, RejectDialog } from './ReservationDialogs.tsx'
import { timesText, useBorrower, useZone, words as shared } from './words.ts'

const words = texts({
  en: {
    title: (person: string) => `Reservation of ${person}`,
    yours: 'Your reservation',
    approve: 'Approve',
    reject: 'Reject',
    out: 'Hand out',
    back: 'Take back',
    change: 'Change',
    extend: 'Extend',
    cancel: 'Cancel reservation',
    facts: 'Reservation',
    things: 'Things',
    time: 'Time',
    person: 'For',
    status: 'Status',
    note: 'Note of the keeper',
    reason: 'Reason',
    decidedBy: 'Decided by',
    made: 'Made',
    waits: 'A keeper has to approve it. Nobody else can reserve these things for that time meanwhile.',
  },
  zh: {
    title: (person: string) => `${person} 的预约`,
    yours: '你的预约',
    approve: '批准',
    reject: '拒绝',
    out: '借出',
    back: '归还',
    change: '修改',
    extend: '延长',
    cancel: '取消预约',
    facts: '预约',
    things: '物品',
    time: '时间',
    person: '借用人',
    status: '状态',
    note: '管理员备注',
    reason: '原因',
    decidedBy: '审批人',
    made: '提交时间',
    waits: '等待管理员审批。在此期间，其他人不能预约该时段的这些物品。',
  },
})

export default function ReservationDetail() {
  const { id } = useParams()
  const query = useCall('assetReservations.get', {
    params: { id: Number(id) },
    query: useRowQuery('assetReservations.get'),
  })
  return <OwnedAnswer query={query}>{(reservation) => <Detail reservation={reservation} />}</OwnedAnswer>
}

type Dialog = 'approve' | 'reject' | 'pickUp' | 'return' | 'change' | 'cancel'

/** The actions of this user in its state, the next step first. */
function useActions(reservation: AssetReservation): readonly Dialog[] {
  const may = useMay()
  const { user } = useSession()
  const { status, items, userId } = reservation
  const isKeeper = may('assetReservations.approve')
  const mayChange = may('assetReservations.update') && (isKeeper || userId === user.id)
  const has = (state: 'WAITING' | 'OUT') => items.some((item) => item.state === state)
  const isDecided = status === 'APPROVED' || status === 'OUT'
  const before = status === 'REQUESTED' || status === 'APPROVED'
  return [
    ...(isKeeper && status === 'REQUESTED' ? (['approve', 'reject'] as const) : []),
    ...(isKeeper && isDecided && has('WAITING') ? (['pickUp'] as const) : []),
    ...(isKeeper && status === 'OUT' && has('OUT') ? (['return'] as const) : []),
    ...(mayChange && (before || (isKeeper && status === 'OUT')) ? (['change'] as const) : []),
    ...(mayChange && before ? (['cancel'] as const) : []),
  ]
}

const ICONS = {
  approve: Check,
  reject: Close,
  pickUp: Output,
  return: AssignmentReturn,
  change: Edit,
  cancel: EventBusy,
}

function Detail({ reservation }: { reservation: AssetReservation }) {
  const t = useTexts(words)
  const names = useTexts(shared)
  const zone = useZone()
  const borrower = useBorrower()
  const people = useNames()
  const now = useOpenedAt()
  const { user } = useSession()
  const actions = useActions(reservation)
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const { status, userId, items, purpose, note, reason, decidedBy, createdAt } = reservation
  const isOwn = userId === user.id
  const labels: Readonly<Record<Dialog, string>> = {
    approve: t.approve,
    reject: t.reject,
    pickUp: t.out,
    return: t.back,
    change: status === 'OUT' ? t.extend : t.change,
    cancel: t.cancel,
  }
  const current = { reservation, onClose: close }
  return (
    <Page
      title={isOwn ? t.yours : t.title(borrower(reservation))}
      back="/reservations"
      actions={
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
          {actions.map((action, i) => {
            const Icon = ICONS[action]
            return (
              <Button
                key={action}
                variant={i === 0 && action !== 'cancel' ? 'contained' : 'outlined'}
                color={action === 'reject' || action === 'cancel' ? 'error' : 'primary'}
                startIcon={<Icon />}
                onClick={() => setDialog(action)}
              >
                {labels[action]}
              </Button>
            )
          })}
        </Stack>
      }
    >
      {status === 'REQUESTED' && isOwn && (
        <Alert severity="info" sx={{ mb: 2 }}>
          {t.waits}
        </Alert>
      )}
      <Section title={t.facts}>
        <Facts
          items={[
            [t.status, <ReservationStatus key="status" reservation={reservation} now={now} />],
            [t.time, timesText(reservation, zone)],
            [t.person, borrower(reservation)],
            [names.purpose, purpose],
            [t.note, note],
            [t.reason, reason],
            [t.decidedBy, people.person(decidedBy)],
            [t.made, dateTime(createdAt)],
          ]}
        />
      </Section>
      <Section title={t.things}>
        <Stack component="ul" aria-label={t.things} sx={{ p: 0, m: 0, listStyle: 'none' }}>
          {items.map((item) => (
            <Stack
              component="li"
              key={`${item.assetId} ${item.supplyId}`}
              direction="row"
              useFlexGap
              spacing={1}
              sx={{
                flexWrap: 'wrap',
                py: 1,
                borderBottom: 1,
                borderColor: 'divider',
                '&:last-of-type': { borderBottom: 0 },
              }}
            >
              <Box sx={{ flex: '1 1 200px', minWidth: 0, overflowWrap: 'anywhere' }}>
                {item.assetId === null ? (
                  itemText(item)
                ) : (
                  <MuiLink component={Link} to={`/assets/${item.assetId}`} underline="hover" color="inherit">
                    {itemText(item)}
                  </MuiLink>
                )}
              </Box>
              {(status === 'APPROVED' || status === 'OUT') && (
                <Typography variant="body2" component="div">
                  <Status
                    tone={item.state === 'OUT' ? 'running' : item.state === 'RETURNED' ? 'good' : 'neutral'}
                    text={names.states[item.state]}
                  />
                </Typography>
              )}
            </Stack>
          ))}
        </Stack>
      </Section>
      {dialog === 'approve' && <ApproveDialog {...current} />}
      {dialog === 'reject' && <RejectDialog {...current} />}
      {(dialog === 'pickUp' || dialog === 'return') && <HandoverDialog {...current} action={dialog} />}
      {dialog === 'change' && <ChangeDialog {...current} />}
      {dialog === 'cancel' && <CancelDialog {...current} />}
    </Page>
  )
}
