/** Reports of assets: what they are worth, and what their maintenance costs. */

import { Download } from '@mui/icons-material'
import {
  Box,
  Button,
  Stack,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
  TextField,
  Typography,
} from '@mui/material'
import { useState } from 'react'

import { useCall, useDownload } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import { common } from '../../i18n/common.ts'
import { day } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'
import { ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { Facts, Section } from '../../ui/parts.tsx'
import { CategoryPicker } from './inputs.tsx'
import { AssetTabs } from './parts.tsx'
import { useNames } from './places.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Reports',
    value: 'Value',
    valueText: 'Depreciation is set in the categories. Values are those of whole months.',
    asOf: 'On the day',
    category: 'Category',
    noCategory: 'Without a category',
    price: 'Purchase price',
    depreciated: 'Depreciated',
    bookValue: 'Book value',
    assets: 'Assets with a value',
    without: 'Left out: without price, date or depreciation',
    asset: 'Asset',
    purchased: 'Purchased',
    months: 'Months',
    costs: 'Costs of maintenance',
    from: 'From',
    to: 'To',
    all: 'All',
    records: 'Records with a cost',
    byAsset: 'By asset',
    byCategory: 'By category',
    bySupplier: 'By company',
    noSupplier: 'Not recorded',
  },
  zh: {
    ...common.zh,
    title: '报表',
    value: '价值',
    valueText: '折旧方法在分类中设置，按整月计算。',
    asOf: '截止日期',
    category: '分类',
    noCategory: '未分类',
    price: '购买价格',
    depreciated: '累计折旧',
    bookValue: '账面价值',
    assets: '有价值的资产',
    without: '未计入：缺少价格、日期或折旧方法',
    asset: '资产',
    purchased: '购买日期',
    months: '月数',
    costs: '维护费用',
    from: '起始日期',
    to: '截止日期',
    all: '合计',
    records: '有费用的记录',
    byAsset: '按资产',
    byCategory: '按分类',
    bySupplier: '按服务商',
    noSupplier: '未填写',
  },
})

const dayField = { type: 'date', slotProps: { inputLabel: { shrink: true } } } as const
const right = { textAlign: 'right', fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' } as const

export default function Reports() {
  const t = useTexts(words)
  return (
    <Page title={t.title}>
      <AssetTabs />
      <Value />
      <Costs />
    </Page>
  )
}

function Value() {
  const t = useTexts(words)
  const names = useNames()
  const file = useDownload()
  const [asOf, setAsOf] = useState('')
  const [categoryId, setCategoryId] = useState<number | null>(null)
  const query = { ...ownerQuery(), ...(asOf !== '' && { asOf }), ...(categoryId !== null && { categoryId }) }
  const { data, error, refetch } = useCall(
    'assetReports.depreciation',
    { query: { ...query, size: 1 } },
    { keepPrevious: true },
  )
  const list = usePages('assetReports.depreciation', { query })
  const save = (format: 'xlsx' | 'csv') =>
    file.mutate([
      'assetReports.depreciation',
      { query: { ...query, format } },
      `depreciation-${data?.asOf ?? ''}.${format}`,
    ])
  return (
    <Section
      title={t.value}
      text={t.valueText}
      actions={(['xlsx', 'csv'] as const).map((format) => (
        <Button key={format} startIcon={<Download />} loading={file.isPending} onClick={() => save(format)}>
          {format === 'xlsx' ? 'Excel' : 'CSV'}
        </Button>
      ))}
    >
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ mb: 2, '& > *': { flex: 1 } }}>
        <TextField label={t.asOf} value={asOf} onChange={({ target }) => setAsOf(target.value)} {...dayField} />
        <CategoryPicker label={t.category} value={categoryId} onChange={setCategoryId} none={t.noCategory} />
      </Stack>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <Facts
          items={[
            [t.price, data.totals.price],
            [t.depreciated, data.totals.depreciated],
            [t.bookValue, data.totals.bookValue],
            [t.assets, String(data.totals.assets)],
            [t.without, data.totals.without > 0 && String(data.totals.without)],
          ]}
        />
      )}
      {list.items === undefined && list.error === null && <Loading />}
      {list.items !== undefined && list.items.length > 0 && (
        <Box component="section" sx={{ overflowX: 'auto', mt: 2 }} tabIndex={0} aria-label={t.value}>
          <Table size="small">
            <TableHead>
              <TableRow>
                {[t.asset, t.category, t.purchased].map((title) => (
                  <TableCell key={title} sx={{ whiteSpace: 'nowrap' }}>
                    {title}
                  </TableCell>
                ))}
                {[t.price, t.months, t.depreciated, t.bookValue].map((title) => (
                  <TableCell key={title} sx={right}>
                    {title}
                  </TableCell>
                ))}
              </TableRow>
            </TableHead>
            <TableBody>
              {list.items.map((row) => (
                <TableRow key={row.assetId}>
                  <TableCell sx={{ minWidth: 180, overflowWrap: 'anywhere' }}>
                    {row.name} ({row.assetNo})
                  </TableCell>
                  <TableCell sx={{ minWidth: 120 }}>{names.category(row.categoryId)}</TableCell>
                  <TableCell sx={{ whiteSpace: 'nowrap' }}>{day(row.purchaseDate)}</TableCell>
                  {[row.price, row.elapsedMonths, row.depreciated, row.bookValue].map((cell, i) => (
                    // oxlint-disable-next-line react/no-array-index-key -- the cells of a row stay in their order
                    <TableCell key={i} sx={right}>
                      {cell}
                    </TableCell>
                  ))}
                </TableRow>
              ))}
            </TableBody>
          </Table>
        </Box>
      )}
      {list.items !== undefined && (
        <MoreButton shown={list.items.length} total={list.total} onMore={list.more} isLoading={list.isLoading} />
      )}
    </Section>
  )
}

function Costs() {
  const t = useTexts(words)
  const names = useNames()
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const query = { ...ownerQuery(), ...(from !== '' && { from }), ...(to !== '' && { to }) }
  const { data, error, refetch } = useCall('assetReports.costs', { query }, { keepPrevious: true })
  const groups =
    data === undefined
      ? []
      : ([
          [t.byAsset, data.byAsset.map(({ name, assetNo, cost }) => [`${name} (${assetNo})`, cost])],
          [
            t.byCategory,
            data.byCategory.map(({ categoryId, cost }) => [names.category(categoryId) || t.noCategory, cost]),
          ],
          [t.bySupplier, data.bySupplier.map(({ supplier, cost }) => [supplier || t.noSupplier, cost])],
        ] as const)
  return (
    <Section title={t.costs}>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ mb: 2, '& > *': { flex: 1 } }}>
        <TextField label={t.from} value={from} onChange={({ target }) => setFrom(target.value)} {...dayField} />
        <TextField label={t.to} value={to} onChange={({ target }) => setTo(target.value)} {...dayField} />
      </Stack>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <Facts
          items={[
            [t.all, data.cost],
            [t.records, String(data.records)],
          ]}
        />
      )}
      <Box sx={{ display: 'grid', gap: 2, mt: 2, gridTemplateColumns: { xs: '1fr', md: 'repeat(3, minmax(0, 1fr))' } }}>
        {groups
          .filter(([, rows]) => rows.length > 0)
          .map(([title, rows]) => (
            <Box key={title}>
              <Typography variant="h3">{title}</Typography>
              <Table size="small">
                <TableBody>
                  {rows.slice(0, 20).map(([name, cost]) => (
                    <TableRow key={name}>
                      <TableCell sx={{ overflowWrap: 'anywhere' }}>{name}</TableCell>
                      <TableCell sx={right}>{cost}</TableCell>
                    </TableRow>
                  ))}
                </TableBody>
              </Table>
            </Box>
          ))}
      </Box>
    </Section>
  )
}
