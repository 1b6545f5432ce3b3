/** The assets of the workspace: search, filters, selection for labels, moving and export. */

import { Add, FilterList, Inventory2, Print, SearchOff } from '@mui/icons-material'
import { Badge, Box, Button, Card, Collapse, MenuItem, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { usePages } from '../../api/pages.ts'
import type { Asset } from '../../api/types.ts'
import { timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { useBulk } from '../../ui/bulk/use-bulk.ts'
import { Drafts } from '../../ui/Drafts.tsx'
import { ExportMenu } from '../../ui/ExportMenu.tsx'
import { useOwnedPath } from '../../ui/Owned.tsx'
import { Page } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { ListView, useIsTable, ViewButtons } from '../../ui/table/ListView.tsx'
import { useSelection } from '../../ui/table/selection.ts'
import { RowsInTime } from '../../ui/windowed.tsx'
import { useAssetColumns } from './asset-columns.tsx'
import { AssetFilters, countFilters, filtersOf } from './AssetFilters.tsx'
import { CalendarButton } from './CalendarButton.tsx'
import { AssetTabs, Status, ThingRow, useOpenedAt } from './parts.tsx'
import { useNames } from './places.ts'
import { SelectedAssets } from './SelectedAssets.tsx'

const words = texts({
  en: {
    title: 'Assets',
    add: 'Add asset',
    labels: 'Labels',
    search: 'Name, number, brand …',
    filters: 'Filters',
    sort: 'Order',
    select: (name: string) => `Select ${name}`,
    empty: 'No assets yet',
    emptyText: 'Register the first one by hand, or import a spreadsheet that you already have.',
    import: 'Import a spreadsheet',
    nothing: 'Nothing found',
    nothingText: 'No asset has this text and these filters.',
    reset: 'Remove all filters',
    lent: 'On loan',
    late: 'Overdue',
    orders: {
      '-createdAt': 'Newest first',
      '-updatedAt': 'Changed last',
      name: 'Name',
      assetNo: 'Asset number',
      status: 'Status',
      '-purchaseDate': 'Bought last',
      '-purchasePrice': 'Highest price',
      warrantyExpiry: 'Warranty ends first',
      nextMaintenance: 'Maintenance due first',
    },
  },
  zh: {
    title: '资产',
    add: '登记资产',
    labels: '标签',
    search: '名称、编号、品牌……',
    filters: '筛选',
    sort: '排序',
    select: (name: string) => `选择 ${name}`,
    empty: '还没有资产',
    emptyText: '可以手动登记第一件资产，或导入已有的表格。',
    import: '导入表格',
    nothing: '没有找到',
    nothingText: '没有符合搜索和筛选条件的资产。',
    reset: '清除所有筛选',
    lent: '已借出',
    late: '已逾期',
    orders: {
      '-createdAt': '最新登记',
      '-updatedAt': '最近修改',
      name: '名称',
      assetNo: '资产编号',
      status: '状态',
      '-purchaseDate': '最近购买',
      '-purchasePrice': '价格最高',
      warrantyExpiry: '保修最早到期',
      nextMaintenance: '维护最早到期',
    },
  },
})

const draftName = ({ name }: { name: string }): string => name

export default function AssetList() {
  const t = useTexts(words)
  const [params, setParams] = useSearchParams()
  const [isOpen, setOpen] = useState(false)
  const query = filtersOf(params)
  const { items, total, error, isLoading, more, retry } = usePages('assets.list', { query })
  const [isBack] = useState(items !== undefined)
  // Here, since the selection has no bar while the list is read in another order.
  const bulk = useBulk('assets', 'assetCategories')
  const selection = useSelection<Asset>({ operation: 'assets.list', query, shown: items, total, keyOf: ({ id }) => id })
  const count = countFilters(params)
  const columns = useAssetColumns()
  const isTable = useIsTable('assets')

  const set = (name: string, value: string) =>
    setParams(
      (now) => {
        if (value === '') now.delete(name)
        else now.set(name, value)
        return now
      },
      { replace: true },
    )

  const isSearching = count > 0 || query.keyword !== undefined
  const reset = () => setParams({}, { replace: true })

  return (
    <Page title={t.title} width={isTable ? 'full' : 'page'} actions={<Actions query={query} />}>
      <AssetTabs />
      <Drafts kind="asset" refreshes="assets" path="/assets/new" nameOf={draftName} />
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', mb: 1 }}>
        <SearchField
          label={t.search}
          value={query.keyword ?? ''}
          onSearch={(text) => set('keyword', text)}
          sx={{ flex: '1 1 240px' }}
        />
        <SortField order={query.sort ?? '-createdAt'} onChange={(order) => set('sort', order)} />
        <Button
          variant="outlined"
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
          startIcon={
            <Badge badgeContent={count} color="primary">
              <FilterList />
            </Badge>
          }
        >
          {t.filters}
        </Button>
      </Stack>
      <Collapse in={isOpen} unmountOnExit>
        <AssetFilters params={params} set={set} />
      </Collapse>

      {error !== null && <ErrorNotice error={error} onRetry={retry} />}
      {items === undefined && error === null && <Loading />}
      {items?.length === 0 &&
        (isSearching ? (
          <EmptyState
            icon={SearchOff}
            title={t.nothing}
            text={t.nothingText}
            action={<Button onClick={reset}>{t.reset}</Button>}
          />
        ) : (
          <NoAssets />
        ))}
      {items !== undefined && items.length > 0 && (
        <>
          <ViewButtons list="assets" columns={columns} />
          <SelectedAssets bulk={bulk} selection={selection} total={total} />
          <ListView
            list="assets"
            operation="assets.list"
            rows={items}
            total={total}
            columns={columns}
            pathOf={({ id }) => `/assets/${id}`}
            selection={selection}
            sort={query.sort ?? '-createdAt'}
            onSort={(sort) => set('sort', sort)}
          >
            <Card variant="outlined" component="ul" sx={{ p: 0, m: 0, listStyle: 'none' }}>
              <RowsInTime rows={items} isBack={isBack}>
                {(shown) =>
                  shown.map((asset) => (
                    <Row
                      key={asset.id}
                      asset={asset}
                      isSelected={selection.rows.has(asset.id)}
                      onSelect={(isSelected) => selection.toggle(asset, isSelected)}
                      selectLabel={t.select(asset.name)}
                    />
                  ))
                }
              </RowsInTime>
            </Card>
          </ListView>
          <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
        </>
      )}
    </Page>
  )
}

/** The filters as the list has them in its address. */
const addressOf = (query: ReturnType<typeof filtersOf>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (name === 'orgId' ? [] : [[name, String(value)] as const])),
  )

function Actions({ query }: { query: ReturnType<typeof filtersOf> }) {
  const t = useTexts(words)
  const ownedPath = useOwnedPath()
  const may = useMay()
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
      <CalendarButton />
      <Button
        component={Link}
        to={ownedPath(`/assets/labels?${new URLSearchParams({ all: '1', ...addressOf(query) })}`)}
        startIcon={<Print />}
      >
        {t.labels}
      </Button>
      {may('assets.export') && (
        <ExportMenu operation="assets.export" input={{ query: { ...query, tz: timeZone() } }} name="assets" />
      )}
      {may('assets.create') && (
        <Button component={Link} to="/assets/new" variant="contained" startIcon={<Add />} data-create>
          {t.add}
        </Button>
      )}
    </Stack>
  )
}

function SortField({ order: chosen, onChange }: { order: string; onChange: (order: string) => void }) {
  const t = useTexts(words)
  return (
    <TextField
      select
      label={t.sort}
      value={chosen}
      onChange={(event) => onChange(event.target.value)}
      sx={{ minWidth: 150, flex: { xs: 1, sm: 'none' } }}
    >
      {Object.entries(t.orders).map(([order, label]) => (
        <MenuItem key={order} value={order}>
          {label}
        </MenuItem>
      ))}
    </TextField>
  )
}

function NoAssets() {
  const t = useTexts(words)
  const may = useMay()
  return (
    <EmptyState
      icon={Inventory2}
      title={t.empty}
      text={t.emptyText}
      action={
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', justifyContent: 'center' }}>
          {may('assets.create') && (
            <Button component={Link} to="/assets/new" variant="contained">
              {t.add}
            </Button>
          )}
          {may('assets.import') && (
            <Button component={Link} to="/assets/import" variant="outlined">
              {t.import}
            </Button>
          )}
        </Stack>
      }
    />
  )
}

interface RowProps {
  asset: Asset
  isSelected: boolean
  onSelect: (isSelected: boolean) => void
  selectLabel: string
}

function Row({ asset, isSelected, onSelect, selectLabel }: RowProps) {
  const names = useNames()
  const place = [names.category(asset.categoryId), names.location(asset.locationId)].filter(Boolean)
  const holder = asset.loan === null ? names.person(asset.custodianId) : loanHolder(asset, names.person)
  return (
    <ThingRow
      to={`/assets/${asset.id}`}
      thing={asset}
      line={[asset.assetNo, asset.brand, asset.model]}
      columns={{
        xs: 'auto minmax(0, 1fr)',
        md: 'auto minmax(0, 5fr) minmax(0, 2fr) 110px minmax(0, 2fr)',
      }}
      more={
        <Stack
          direction="row"
          spacing={1.5}
          useFlexGap
          sx={{ display: { md: 'none' }, alignItems: 'center', flexWrap: 'wrap', rowGap: 0, mt: 0.25 }}
        >
          <Status status={asset.status} />
          <Lent asset={asset} />
          <Typography variant="body2" color="text.secondary" noWrap>
            {place.at(-1)?.split(' / ').at(-1)}
          </Typography>
        </Stack>
      }
      isSelected={isSelected}
      onSelect={onSelect}
      selectLabel={selectLabel}
    >
      <Box sx={{ display: { xs: 'none', md: 'block' }, minWidth: 0 }}>
        {place.map((name) => (
          <Typography key={name} noWrap variant="body2" color="text.secondary">
            {name}
          </Typography>
        ))}
      </Box>
      <Box sx={{ display: { xs: 'none', md: 'block' } }}>
        <Status status={asset.status} />
      </Box>
      <Box sx={{ display: { xs: 'none', md: 'block' }, minWidth: 0 }}>
        <Lent asset={asset} />
        <Typography noWrap variant="body2" color="text.secondary">
          {holder}
        </Typography>
      </Box>
    </ThingRow>
  )
}

function Lent({ asset: { loan } }: { asset: Asset }) {
  const t = useTexts(words)
  const now = useOpenedAt()
  if (loan === null) return null
  const isLate = loan.dueAt !== null && loan.dueAt < now
  return (
    <Typography variant="body2" color={isLate ? 'error' : 'primary'}>
      {isLate ? t.late : t.lent}
    </Typography>
  )
}

const loanHolder = ({ loan }: Asset, person: (id: number | null) => string) =>
  loan?.personName ?? person(loan?.userId ?? null)
