/** The times in which an asset is busy, on its page, and the button that reserves it. */

import { CalendarMonth, EventAvailable } from '@mui/icons-material'
import { Button, Link as MuiLink, Stack, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import type { Asset } from '../../../api/types.ts'
import { notify } from '../../../browser/notices.ts'
import { serverTime } from '../../../browser/server-time.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useOwner, useOwnerQuery } from '../../../session/session.ts'
import { ErrorNotice } from '../../../ui/Answer.tsx'
import { DialogButton } from '../../../ui/DialogButton.tsx'
import { Section } from '../../../ui/parts.tsx'
import { useCategories } from '../places.ts'
import { bookableCategories } from './booking.ts'
import { ReserveDialog, useDoneWords } from './ReservationDialogs.tsx'
import { timesText, useZone, words as shared } from './words.ts'

const words = texts({
  en: {
    title: 'Reservations',
    reserve: 'Reserve',
    free: 'It is free for the next three months.',
    since: (time: string) => `From ${time}, without an end`,
    kinds: { RESERVATION: 'Reserved', LOAN: 'On loan', MAINTENANCE: 'Maintenance' },
    more: (n: number) => `and ${n} more`,
    calendar: 'Calendar',
  },
  zh: {
    title: '预约',
    reserve: '预约',
    free: '未来三个月均空闲。',
    since: (time: string) => `自 ${time} 起，无结束时间`,
    kinds: { RESERVATION: '已预约', LOAN: '借出中', MAINTENANCE: '维护' },
    more: (n: number) => `另有 ${n} 条`,
    calendar: '日历',
  },
})

/** Milliseconds that the server shows at most: 93 days. */
const AHEAD = 93 * 86_400_000
const SHOWN = 8

/** Whether members may reserve the asset, or this user as a keeper. */
function useMayReserve({ bookable, categoryId, status }: Asset): boolean {
  const may = useMay()
  const owner = useOwner()
  const categories = bookableCategories(useCategories())
  const isBookable = bookable ?? categories.some(({ id }) => id === categoryId)
  if (owner === null || owner.status === 'DISABLED' || !may('assetReservations.create')) return false
  return (isBookable || may('assetReservations.approve')) && status !== 'SCRAPPED' && status !== 'LOST'
}

export function AssetBookings({ asset }: { asset: Asset }) {
  const owner = useOwner()
  const may = useMay()
  if (owner === null || !may('assetReservations.calendar')) return null
  return <Bookings asset={asset} />
}

function Bookings({ asset }: { asset: Asset }) {
  const t = useTexts(words)
  const names = useTexts(shared)
  const zone = useZone()
  const owned = useOwnerQuery()
  const navigate = useNavigate()
  const doneWords = useDoneWords()
  const mayReserve = useMayReserve(asset)
  const [now] = useState(serverTime)
  const { data, error, refetch } = useCall('assetReservations.calendar', {
    query: { ...owned, from: now, to: now + AHEAD, assetId: asset.id },
  })
  const entries = data?.items ?? []
  if (!mayReserve && entries.length === 0) return null
  return (
    <Section
      title={t.title}
      actions={
        <>
          <Button component={Link} to="/reservations/calendar" startIcon={<CalendarMonth />}>
            {t.calendar}
          </Button>
          {mayReserve && (
            <DialogButton label={t.reserve} icon={<EventAvailable />} variant="outlined">
              {(close) => (
                <ReserveDialog
                  asset={asset}
                  onClose={close}
                  onDone={(reservation) => {
                    notify(doneWords(reservation), 'success')
                    void navigate(`/reservations/${reservation.id}`)
                  }}
                />
              )}
            </DialogButton>
          )}
        </>
      }
    >
      {error !== null && data === undefined && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data !== undefined && entries.length === 0 && <Typography color="text.secondary">{t.free}</Typography>}
      <Stack component="ul" aria-label={t.title} spacing={1} sx={{ p: 0, m: 0, listStyle: 'none' }}>
        {entries.slice(0, SHOWN).map(({ kind, from, to, name, reservationId }) => (
          <li key={`${kind} ${reservationId} ${from}`}>
            <Typography>
              {to === null ? t.since(timesText({ from, to: from }, zone)) : timesText({ from, to }, zone)}
            </Typography>
            <Typography variant="body2" color="text.secondary">
              {t.kinds[kind]} ·{' '}
              {reservationId === null ? (
                (name ?? names.busy)
              ) : (
                <MuiLink component={Link} to={`/reservations/${reservationId}`} underline="always">
                  {name ?? names.busy}
                </MuiLink>
              )}
            </Typography>
          </li>
        ))}
      </Stack>
      {entries.length > SHOWN && <Typography variant="body2">{t.more(entries.length - SHOWN)}</Typography>}
    </Section>
  )
}
