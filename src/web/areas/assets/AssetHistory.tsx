/** Hand-overs and loans of an asset, newest first. */

import { Box, Card, CardContent, Stack, Tab, Tabs, Typography } from '@mui/material'
import { useState } from 'react'

import { usePages } from '../../api/pages.ts'
import type { Asset, AssetLoan, AssetTransfer } from '../../api/types.ts'
import { date, dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwnerQuery, useSession } from '../../session/session.ts'
import { ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { useNames } from './places.ts'
import { useCondition } from './words.ts'

const words = texts({
  en: {
    title: 'History',
    transfers: 'Hand-overs',
    loans: 'Loans',
    noTransfers: 'No hand-overs yet.',
    noLoans: 'This asset was never lent.',
    custodian: (from: string, to: string) => `Custodian: ${from} → ${to}`,
    location: (from: string, to: string) => `Location: ${from} → ${to}`,
    org: (name: string) => `Given to ${name}`,
    nobody: 'nobody',
    nowhere: 'none',
    anOrg: 'an organization',
    by: (name: string) => `by ${name}`,
    lent: (name: string) => `Lent to ${name}`,
    someone: 'a former member',
    until: (when: string) => `due on ${when}`,
    back: (when: string) => `Returned on ${when}`,
    open: 'Not returned yet',
  },
  zh: {
    title: '历史',
    transfers: '转移',
    loans: '借还',
    noTransfers: '还没有转移记录。',
    noLoans: '还没有借出过。',
    custodian: (from: string, to: string) => `保管人：${from} → ${to}`,
    location: (from: string, to: string) => `位置：${from} → ${to}`,
    org: (name: string) => `转给 ${name}`,
    nobody: '无',
    nowhere: '无',
    anOrg: '组织',
    by: (name: string) => `操作人：${name}`,
    lent: (name: string) => `借给 ${name}`,
    someone: '已离开的成员',
    until: (when: string) => `应于 ${when} 归还`,
    back: (when: string) => `已于 ${when} 归还`,
    open: '尚未归还',
  },
})

export function AssetHistory({ asset }: { asset: Asset }) {
  const t = useTexts(words)
  const [tab, setTab] = useState<'transfers' | 'loans'>(asset.loan === null ? 'transfers' : 'loans')
  return (
    <Card variant="outlined">
      <CardContent>
        <Typography variant="h2">{t.title}</Typography>
        <Tabs value={tab} onChange={(_, next: typeof tab) => setTab(next)} aria-label={t.title} sx={{ mb: 1 }}>
          <Tab id="tab-transfers" aria-controls="history" value="transfers" label={t.transfers} />
          <Tab id="tab-loans" aria-controls="history" value="loans" label={t.loans} />
        </Tabs>
        <Box role="tabpanel" id="history" aria-labelledby={`tab-${tab}`}>
          {tab === 'transfers' ? <Transfers id={asset.id} /> : <Loans id={asset.id} />}
        </Box>
      </CardContent>
    </Card>
  )
}

function Transfers({ id }: { id: number }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const list = usePages('assets.transfers', { params: { id }, query: owned }, { size: 10 })
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={list.retry} />
  if (list.items === undefined) return <Loading />
  if (list.items.length === 0) return <Typography color="text.secondary">{t.noTransfers}</Typography>
  return (
    <>
      <Stack spacing={1.5} component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {list.items.map((transfer) => (
          <TransferRow key={transfer.id} transfer={transfer} />
        ))}
      </Stack>
      <MoreButton shown={list.items.length} total={list.total} onMore={list.more} isLoading={list.isLoading} />
    </>
  )
}

function TransferRow({ transfer }: { transfer: AssetTransfer }) {
  const t = useTexts(words)
  const { orgs } = useSession()
  const { fromUserId, toUserId, fromLocationId, toLocationId, fromOrgId, toOrgId, note } = transfer
  return (
    <Box component="li">
      {fromOrgId !== toOrgId && <div>{t.org(orgs.find((org) => org.id === toOrgId)?.name ?? t.anOrg)}</div>}
      {fromUserId !== toUserId && (
        <div>{t.custodian(transfer.fromUserName ?? t.nobody, transfer.toUserName ?? t.nobody)}</div>
      )}
      {fromLocationId !== toLocationId && (
        <div>{t.location(transfer.fromLocationName ?? t.nowhere, transfer.toLocationName ?? t.nowhere)}</div>
      )}
      {note !== '' && <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{note}</Box>}
      <Typography variant="body2" color="text.secondary">
        {dateTime(transfer.createdAt)} · {t.by(transfer.operatorName)}
      </Typography>
    </Box>
  )
}

function Loans({ id }: { id: number }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const list = usePages('assets.loans', { query: { ...owned, assetId: id } }, { size: 10 })
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={list.retry} />
  if (list.items === undefined) return <Loading />
  if (list.items.length === 0) return <Typography color="text.secondary">{t.noLoans}</Typography>
  return (
    <>
      <Stack spacing={1.5} component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {list.items.map((loan) => (
          <LoanRow key={loan.id} loan={loan} />
        ))}
      </Stack>
      <MoreButton shown={list.items.length} total={list.total} onMore={list.more} isLoading={list.isLoading} />
    </>
  )
}

function LoanRow({ loan }: { loan: AssetLoan }) {
  const t = useTexts(words)
  const names = useNames()
  const condition = useCondition()
  const who = loan.personName ?? (names.person(loan.userId) || t.someone)
  return (
    <Box component="li">
      <div>{t.lent(who)}</div>
      <Typography variant="body2" color="text.secondary">
        {date(loan.checkedOutAt)}
        {loan.dueAt !== null && ` · ${t.until(date(loan.dueAt))}`}
      </Typography>
      {loan.note !== '' && <Box sx={{ overflowWrap: 'anywhere' }}>{loan.note}</Box>}
      <Typography variant="body2" color="text.secondary">
        {loan.checkedInAt === null ? t.open : t.back(date(loan.checkedInAt))}
        {loan.condition !== null && ` · ${condition(loan.condition)}`}
      </Typography>
      {loan.returnNote !== '' && <Box sx={{ overflowWrap: 'anywhere' }}>{loan.returnNote}</Box>}
    </Box>
  )
}
