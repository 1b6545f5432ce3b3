/** Reservations of the organization: the user's own, and for keepers those of all. */

import { CalendarMonth, EventAvailable, QrCodeScanner, SearchOff } from '@mui/icons-material'
import { Button, Card, Stack, ToggleButton, ToggleButtonGroup } from '@mui/material'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { usePages } from '../../../api/pages.ts'
import type { AssetReservationStatus } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useOwner, useOwnerQuery } from '../../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../../ui/Answer.tsx'
import { Page } from '../../../ui/Page.tsx'
import { useOpenedAt } from '../parts.tsx'
import { OrganizationsOnly, ReservationCard } from './parts.tsx'

const words = texts({
  en: {
    title: 'Reservations',
    borrow: 'Borrow',
    today: 'Today',
    calendar: 'Calendar',
    whose: 'Whose reservations are shown',
    mine: 'Mine',
    all: 'Everyone',
    show: 'Which reservations are shown',
    kinds: { open: 'Open', past: 'Past' },
    empty: 'You have reserved nothing',
    emptyText: 'Choose “Borrow”, then the time, then things that are free.',
    nothing: 'No reservations found',
  },
  zh: {
    title: '预约',
    borrow: '借用',
    today: '今日借还',
    calendar: '日历',
    whose: '显示谁的预约',
    mine: '我的',
    all: '所有人',
    show: '显示哪些预约',
    kinds: { open: '进行中', past: '已结束' },
    empty: '你还没有预约',
    emptyText: '选择“借用”，先选时间，再从空闲的物品中选择。',
    nothing: '没有找到预约',
  },
})

type Kind = 'open' | 'past'

const STATUSES: Readonly<Record<Kind, readonly AssetReservationStatus[]>> = {
  open: ['REQUESTED', 'APPROVED', 'OUT'],
  past: ['REJECTED', 'CANCELLED', 'RETURNED', 'EXPIRED'],
}

export default function Reservations() {
  const t = useTexts(words)
  const may = useMay()
  const owner = useOwner()
  const isKeeper = may('assetReservations.approve')
  return (
    <Page
      title={t.title}
      actions={
        owner !== null && (
          <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
            {isKeeper && (
              <Button component={Link} to="/reservations/today" startIcon={<QrCodeScanner />}>
                {t.today}
              </Button>
            )}
            <Button component={Link} to="/reservations/calendar" startIcon={<CalendarMonth />}>
              {t.calendar}
            </Button>
            {may('assetReservations.create') && (
              <Button
                component={Link}
                to="/reservations/borrow"
                variant="contained"
                startIcon={<EventAvailable />}
                data-create
              >
                {t.borrow}
              </Button>
            )}
          </Stack>
        )
      }
    >
      {owner === null ? <OrganizationsOnly /> : <List isKeeper={isKeeper} />}
    </Page>
  )
}

function List({ isKeeper }: { isKeeper: boolean }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const now = useOpenedAt()
  const [params, setParams] = useSearchParams()
  const [kind, setKind] = useState<Kind>('open')
  const isMine = !isKeeper || params.get('show') === 'mine'
  const { items, total, error, isLoading, more, retry } = usePages('assetReservations.list', {
    query: { ...owned, status: [...STATUSES[kind]], ...(isMine && { mine: true }) },
  })
  return (
    <>
      <Stack direction="row" useFlexGap spacing={1} sx={{ flexWrap: 'wrap', mb: 2 }}>
        {isKeeper && (
          <ToggleButtonGroup
            exclusive
            size="small"
            value={isMine ? 'mine' : 'all'}
            aria-label={t.whose}
            onChange={(_, next: string | null) =>
              next && setParams(next === 'mine' ? { show: 'mine' } : {}, { replace: true })
            }
          >
            <ToggleButton value="all" sx={{ px: 2 }}>
              {t.all}
            </ToggleButton>
            <ToggleButton value="mine" sx={{ px: 2 }}>
              {t.mine}
            </ToggleButton>
          </ToggleButtonGroup>
        )}
        <ToggleButtonGroup
          exclusive
          size="small"
          value={kind}
          aria-label={t.show}
          onChange={(_, next: Kind | null) => next !== null && setKind(next)}
        >
          {(['open', 'past'] as const).map((one) => (
            <ToggleButton key={one} value={one} sx={{ px: 2 }}>
              {t.kinds[one]}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      </Stack>
      {error !== null && <ErrorNotice error={error} onRetry={retry} />}
      {items === undefined && error === null && <Loading />}
      {items?.length === 0 &&
        (kind === 'open' && isMine ? (
          <EmptyState
            icon={EventAvailable}
            title={t.empty}
            text={t.emptyText}
            action={
              <Button component={Link} to="/reservations/borrow" variant="contained">
                {t.borrow}
              </Button>
            }
          />
        ) : (
          <EmptyState icon={SearchOff} title={t.nothing} />
        ))}
      {items !== undefined && items.length > 0 && (
        <>
          <Card variant="outlined" component="ul" aria-label={t.title} sx={{ px: 2, py: 0, m: 0, listStyle: 'none' }}>
            {items.map((reservation) => (
              <ReservationCard key={reservation.id} reservation={reservation} now={now} isOwn={isMine} />
            ))}
          </Card>
          <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
        </>
      )}
    </>
  )
}
