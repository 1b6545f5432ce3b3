/** Loans of assets: who has what, and until when. */

import { AssignmentReturn, Output, SearchOff } from '@mui/icons-material'
import {
  Box,
  Button,
  Card,
  Chip,
  Link as MuiLink,
  Stack,
  ToggleButton,
  ToggleButtonGroup,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { Asset, AssetLoan } from '../../api/types.ts'
import { date } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { PersonPicker } from './inputs.tsx'
import { ReturnDialog } from './LoanDialogs.tsx'
import { AssetTabs, Cover } from './parts.tsx'
import { useNames } from './places.ts'
import { useCondition } from './words.ts'

const words = texts({
  en: {
    title: 'Loans',
    show: 'Which loans are shown',
    kinds: { open: 'On loan', overdue: 'Overdue', all: 'All' },
    borrower: 'Borrower',
    return: 'Take back',
    reservation: 'Reservation',
    late: 'Overdue',
    from: (when: string) => `since ${when}`,
    due: (when: string) => `due on ${when}`,
    noDue: 'no due date',
    back: (when: string) => `returned on ${when}`,
    empty: 'Nothing is on loan',
    emptyText: 'Open an asset and choose “Lend”. Borrowers are reminded a day before it is due.',
    assets: 'Go to the assets',
    nothing: 'No loans found',
    nothingText: 'No loan fits what you chose above.',
    someone: 'Former member',
    deleted: 'Deleted asset',
  },
  zh: {
    title: '借还',
    show: '显示哪些借用',
    kinds: { open: '借出中', overdue: '已逾期', all: '全部' },
    borrower: '借用人',
    return: '归还',
    reservation: '预约',
    late: '已逾期',
    from: (when: string) => `${when} 借出`,
    due: (when: string) => `应于 ${when} 归还`,
    noDue: '无归还期限',
    back: (when: string) => `${when} 归还`,
    empty: '没有借出的资产',
    emptyText: '打开一件资产并选择“借出”。到期前一天会提醒借用人。',
    assets: '查看资产',
    nothing: '没有找到借用记录',
    nothingText: '没有符合上方条件的借用记录。',
    someone: '已离开的成员',
    deleted: '已删除的资产',
  },
})

type Kind = 'open' | 'overdue' | 'all'

export default function Loans() {
  const t = useTexts(words)
  const { workspace } = useSession()
  const [params, setParams] = useSearchParams()
  const kind = (params.get('show') ?? 'open') as Kind
  const [userId, setUserId] = useState<number | null>(null)
  const [returned, setReturned] = useState<{ readonly id: number; readonly name: string }>()
  const { items, total, error, isLoading, more, retry } = usePages('assets.loans', {
    query: {
      ...ownerQuery(),
      ...(kind === 'open' && { open: true }),
      ...(kind === 'overdue' && { overdue: true }),
      ...(userId !== null && { userId }),
    },
  })
  return (
    <Page title={t.title}>
      <AssetTabs />
      <Stack direction="row" useFlexGap spacing={1} sx={{ flexWrap: 'wrap', mb: 2 }}>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={kind}
          aria-label={t.show}
          onChange={(_, next: Kind | null) => next !== null && setParams({ show: next }, { replace: true })}
        >
          {(['open', 'overdue', 'all'] as const).map((one) => (
            <ToggleButton key={one} value={one} sx={{ px: 2 }}>
              {t.kinds[one]}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        {workspace !== null && (
          <Box sx={{ flex: '1 1 200px', maxWidth: 320 }}>
            <PersonPicker label={t.borrower} value={userId} onChange={setUserId} />
          </Box>
        )}
      </Stack>
      {error !== null && <ErrorNotice error={error} onRetry={retry} />}
      {items === undefined && error === null && <Loading />}
      {items?.length === 0 &&
        (kind === 'open' && userId === null ? (
          <EmptyState
            icon={Output}
            title={t.empty}
            text={t.emptyText}
            action={
              <Button component={Link} to="/assets" variant="contained">
                {t.assets}
              </Button>
            }
          />
        ) : (
          <EmptyState icon={SearchOff} title={t.nothing} text={t.nothingText} />
        ))}
      {items !== undefined && items.length > 0 && (
        <>
          <Card variant="outlined" component="ul" sx={{ p: 0, m: 0, listStyle: 'none' }}>
            {slicesOf(items).map((loans, i) => (
              // oxlint-disable-next-line react/no-array-index-key -- slices have no other identity
              <LoanRows key={i} loans={loans} onReturn={setReturned} />
            ))}
          </Card>
          <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
        </>
      )}
      {returned !== undefined && (
        <ReturnDialog assetId={returned.id} name={returned.name} onClose={() => setReturned(undefined)} />
      )}
    </Page>
  )
}

/** Loans name their assets by id only, and a list of assets has at most 100 rows. */
const SLICE = 100

const slicesOf = (loans: readonly AssetLoan[]): AssetLoan[][] =>
  Array.from({ length: Math.ceil(loans.length / SLICE) }, (_, i) => loans.slice(i * SLICE, (i + 1) * SLICE))

interface RowsProps {
  loans: readonly AssetLoan[]
  onReturn: (asset: { id: number; name: string }) => void
}

function LoanRows({ loans, onReturn }: RowsProps) {
  const ids = [...new Set(loans.map(({ assetId }) => assetId))]
  const { data, isPlaceholderData } = useCall(
    'assets.list',
    { query: { ...ownerQuery(), ids, size: SLICE } },
    { keepPrevious: true },
  )
  const assets = new Map(data?.items.map((asset) => [asset.id, asset]))
  // An asset that is missing in an answer about other assets need not be deleted.
  const isKnown = data !== undefined && !isPlaceholderData
  return loans.map((loan) => (
    <LoanRow key={loan.id} loan={loan} asset={assets.get(loan.assetId)} isKnown={isKnown} onReturn={onReturn} />
  ))
}

interface RowProps extends Pick<RowsProps, 'onReturn'> {
  loan: AssetLoan
  asset: Asset | undefined
  isKnown: boolean
}

function LoanRow({ loan, asset, isKnown, onReturn }: RowProps) {
  const t = useTexts(words)
  const may = useMay()
  const names = useNames()
  const condition = useCondition()
  const name = asset?.name ?? (isKnown ? t.deleted : '')
  const facts = [
    t.from(date(loan.checkedOutAt)),
    loan.checkedInAt !== null
      ? t.back(date(loan.checkedInAt))
      : loan.dueAt === null
        ? t.noDue
        : t.due(date(loan.dueAt)),
    loan.condition === null ? '' : condition(loan.condition),
    loan.note,
  ]
  return (
    <Stack
      component="li"
      direction="row"
      spacing={2}
      useFlexGap
      sx={{
        alignItems: 'center',
        flexWrap: 'wrap',
        p: 1.5,
        borderBottom: 1,
        borderColor: 'divider',
        '&:last-of-type': { borderBottom: 0 },
      }}
    >
      <Cover photos={asset?.photos ?? []} name={name} size={48} />
      <Box sx={{ flex: '1 1 200px', minWidth: 0 }}>
        <Typography
          {...(asset !== undefined && { component: Link, to: `/assets/${asset.id}` })}
          sx={{
            fontWeight: 600,
            color: 'inherit',
            textDecoration: 'none',
            '&:hover': { textDecoration: 'underline' },
          }}
        >
          {name}
        </Typography>
        <Typography variant="body2">
          {loan.personName ?? (names.person(loan.userId) || t.someone)}{' '}
          {loan.overdue && <Chip size="small" color="error" label={t.late} sx={{ ml: 1 }} />}
        </Typography>
        <Typography variant="body2" color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
          {facts.filter(Boolean).join(' · ')}
          {loan.reservationId !== null && (
            <>
              {' · '}
              <MuiLink component={Link} to={`/reservations/${loan.reservationId}`} underline="always">
                {t.reservation}
              </MuiLink>
            </>
          )}
        </Typography>
      </Box>
      {loan.checkedInAt === null && may('assets.checkIn') && (
        <Button
          variant="outlined"
          startIcon={<AssignmentReturn />}
          onClick={() => onReturn({ id: loan.assetId, name })}
        >
          {t.return}
        </Button>
      )}
    </Stack>
  )
}
