/** The supplies of the workspace: stock, filters, and movements of several at once. */

import { Add, Category, History, Print, SearchOff, SwapVert, UploadFile } from '@mui/icons-material'
import { Box, Button, Card, Chip, MenuItem, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { usePages } from '../../../api/pages.ts'
import type { QueryOf, Supply } from '../../../api/types.ts'
import { useChoices } from '../../../i18n/enums.ts'
import { number, timeZone } from '../../../i18n/format.ts'
import { things } from '../../../i18n/things.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ownerQuery, useMay, useOwner } from '../../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../../ui/Answer.tsx'
import { BulkBar } from '../../../ui/bulk/BulkBar.tsx'
import { useBulk } from '../../../ui/bulk/use-bulk.ts'
import { ExportMenu } from '../../../ui/ExportMenu.tsx'
import { ChoiceField } from '../../../ui/fields.tsx'
import { useOwnedPath } from '../../../ui/Owned.tsx'
import { Page } from '../../../ui/Page.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { type ListColumn, ListView, useIsTable, ViewButtons } from '../../../ui/table/ListView.tsx'
import { useSelection } from '../../../ui/table/selection.ts'
import { CategoryPicker, LocationPicker } from '../inputs.tsx'
import { AssetTabs, ThingRow } from '../parts.tsx'
import { useNames } from '../places.ts'
import { useColumn } from '../words.ts'
import { SeveralDialog } from './SeveralDialog.tsx'
import { words as shared } from './supply-words.ts'

const words = texts({
  en: {
    title: things.supply.many.en,
    add: 'Add supply',
    search: 'Name, number, supplier …',
    sort: 'Order',
    kind: 'Kind',
    all: 'All',
    category: 'Category',
    location: 'Location',
    show: 'Stock',
    anyStock: 'All',
    onlyLow: 'Below the minimum',
    enough: 'Enough',
    select: (name: string) => `Select ${name}`,
    found: (n: number) => (n === 1 ? '1 supply' : `${n} supplies`),
    book: 'Book movements',
    labels: 'Labels',
    movements: 'Movements',
    import: 'Import',
    stock: (n: string, unit: string) => `${n} ${unit}`,
    empty: 'No supplies yet',
    emptyText: 'Register what you count instead of numbering each piece: chairs, toner, chalk.',
    nothing: 'Nothing found',
    nothingText: 'No supply has this text and these filters.',
    reset: 'Remove all filters',
    orders: {
      name: 'Name',
      supplyNo: 'Number',
      stock: 'Lowest stock',
      '-stock': 'Highest stock',
      '-updatedAt': 'Changed last',
    },
  },
  zh: {
    title: things.supply.many.zh,
    add: '登记物料',
    search: '名称、编号、供应商……',
    sort: '排序',
    kind: '类型',
    all: '全部',
    category: '分类',
    location: '位置',
    show: '库存',
    anyStock: '全部',
    onlyLow: '低于最低库存',
    enough: '充足',
    select: (name: string) => `选择 ${name}`,
    found: (n: number) => `共 ${n} 种物料`,
    book: '登记出入库',
    labels: '标签',
    movements: '出入库记录',
    import: '导入',
    stock: (n: string, unit: string) => `${n} ${unit}`,
    empty: '还没有物料',
    emptyText: '登记按数量管理、无需逐件编号的物品，例如椅子、硒鼓、粉笔。',
    nothing: '没有找到',
    nothingText: '没有符合搜索和筛选条件的物料。',
    reset: '清除所有筛选',
    orders: {
      name: '名称',
      supplyNo: '编号',
      stock: '库存最少',
      '-stock': '库存最多',
      '-updatedAt': '最近修改',
    },
  },
})

const NUMBERS = ['categoryId', 'locationId'] as const

/** The filters as the address has them. */
function queryOf(params: URLSearchParams): Partial<QueryOf<'supplies.list'>> {
  const given = Object.fromEntries(
    ['keyword', 'kind', 'sort', 'low'].flatMap((name) => (params.get(name) ? [[name, params.get(name)!]] : [])),
  )
  const numbers = NUMBERS.flatMap((name) => (params.get(name) ? [[name, Number(params.get(name))]] : []))
  return { ...ownerQuery(), ...given, ...Object.fromEntries(numbers) } as Partial<QueryOf<'supplies.list'>>
}

export default function SupplyList() {
  const t = useTexts(words)
  const [params, setParams] = useSearchParams()
  const query = queryOf(params)
  const { items, total, error, isLoading, more, retry } = usePages('supplies.list', { query })
  const bulk = useBulk('supplies')
  const selection = useSelection<Supply>({
    operation: 'supplies.list',
    query,
    shown: items,
    total,
    keyOf: ({ id }) => id,
  })
  const [isBooking, setBooking] = useState(false)
  const columns = useSupplyColumns()
  const isTable = useIsTable('supplies')
  const may = useMay()
  const ownedPath = useOwnedPath()
  const set = (name: string, value: string) =>
    setParams(
      (now) => {
        if (value === '') now.delete(name)
        else now.set(name, value)
        return now
      },
      { replace: true },
    )
  const isSearching = ['keyword', 'kind', 'low', ...NUMBERS].some((name) => params.has(name))
  const chosen = [...selection.rows.values()]
  return (
    <Page title={t.title} width={isTable ? 'full' : 'page'} actions={<Actions query={query} />}>
      <AssetTabs />
      <Filters params={params} query={query} set={set} />
      {error !== null && <ErrorNotice error={error} onRetry={retry} />}
      {items === undefined && error === null && <Loading />}
      {items?.length === 0 &&
        (isSearching ? (
          <EmptyState
            icon={SearchOff}
            title={t.nothing}
            text={t.nothingText}
            action={<Button onClick={() => setParams({}, { replace: true })}>{t.reset}</Button>}
          />
        ) : (
          <NoSupplies />
        ))}
      {items !== undefined && items.length > 0 && (
        <>
          <ViewButtons list="supplies" columns={columns} />
          <BulkBar bulk={bulk} selection={selection} total={t.found(total)}>
            {may('supplies.reverse') && (
              <Button startIcon={<SwapVert />} onClick={() => setBooking(true)}>
                {t.book}
              </Button>
            )}
            <Button
              component={Link}
              startIcon={<Print />}
              to={ownedPath('/assets/labels?source=SUPPLY&selected=1')}
              state={{ ids: chosen.map(({ id }) => id) }}
            >
              {t.labels}
            </Button>
          </BulkBar>
          <ListView
            list="supplies"
            operation="supplies.list"
            rows={items}
            total={total}
            columns={columns}
            pathOf={({ id }) => `/assets/supplies/${id}`}
            selection={selection}
            sort={query.sort ?? 'name'}
            onSort={(sort) => set('sort', sort)}
          >
            <Card variant="outlined" component="ul" sx={{ p: 0, m: 0, listStyle: 'none' }}>
              {items.map((supply) => (
                <Row
                  key={supply.id}
                  supply={supply}
                  isSelected={selection.rows.has(supply.id)}
                  onSelect={(isSelected) => selection.toggle(supply, isSelected)}
                />
              ))}
            </Card>
          </ListView>
          <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
        </>
      )}
      {isBooking && (
        <SeveralDialog supplies={chosen} onClose={() => setBooking(false)} onDone={() => selection.set([])} />
      )}
    </Page>
  )
}

interface FiltersProps {
  params: URLSearchParams
  query: Partial<QueryOf<'supplies.list'>>
  set: (name: string, value: string) => void
}

function Filters({ params, query, set }: FiltersProps) {
  const t = useTexts(words)
  const kinds = useChoices('supplyKind')
  const owner = useOwner()
  const text = (value: number | null) => (value === null ? '' : String(value))
  return (
    <Box
      sx={{ display: 'grid', gap: 1, mb: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 160px), 1fr))' }}
    >
      <SearchField label={t.search} value={query.keyword ?? ''} onSearch={(value) => set('keyword', value)} />
      <ChoiceField
        label={t.kind}
        value={params.get('kind')}
        none={t.all}
        choices={kinds}
        onChange={(kind) => set('kind', kind ?? '')}
      />
      <ChoiceField
        label={t.show}
        value={params.get('low')}
        none={t.anyStock}
        choices={[
          { id: 'true', name: t.onlyLow },
          { id: 'false', name: t.enough },
        ]}
        onChange={(low) => set('low', low ?? '')}
      />
      <CategoryPicker
        label={t.category}
        value={query.categoryId ?? null}
        onChange={(id) => set('categoryId', text(id))}
      />
      {owner !== null && (
        <LocationPicker
          label={t.location}
          value={query.locationId ?? null}
          onChange={(id) => set('locationId', text(id))}
        />
      )}
      <TextField
        select
        label={t.sort}
        value={query.sort ?? 'name'}
        onChange={({ target }) => set('sort', target.value)}
      >
        {Object.entries(t.orders).map(([order, label]) => (
          <MenuItem key={order} value={order}>
            {label}
          </MenuItem>
        ))}
      </TextField>
    </Box>
  )
}

function Actions({ query }: { query: Partial<QueryOf<'supplies.list'>> }) {
  const t = useTexts(words)
  const ownedPath = useOwnedPath()
  const may = useMay()
  const { orgId: _, sort: __, ...filters } = query
  const all = new URLSearchParams({ source: 'SUPPLY', all: '1' })
  for (const [name, value] of Object.entries(filters)) all.set(name, String(value))
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
      <Button component={Link} to="/assets/supplies/movements" startIcon={<History />}>
        {t.movements}
      </Button>
      {may('supplies.import') && (
        <Button component={Link} to="/assets/supplies/import" startIcon={<UploadFile />}>
          {t.import}
        </Button>
      )}
      {may('supplies.export') && (
        <ExportMenu operation="supplies.export" input={{ query: { ...query, tz: timeZone() } }} name="supplies" />
      )}
      <Button component={Link} to={ownedPath(`/assets/labels?${all}`)} startIcon={<Print />}>
        {t.labels}
      </Button>
      {may('supplies.create') && (
        <Button component={Link} to="/assets/supplies/new" variant="contained" startIcon={<Add />} data-create>
          {t.add}
        </Button>
      )}
    </Stack>
  )
}

function NoSupplies() {
  const t = useTexts(words)
  const may = useMay()
  return (
    <EmptyState
      icon={Category}
      title={t.empty}
      text={t.emptyText}
      action={
        may('supplies.create') && (
          <Button component={Link} to="/assets/supplies/new" variant="contained">
            {t.add}
          </Button>
        )
      }
    />
  )
}

function useSupplyColumns(): readonly ListColumn<Supply>[] {
  const t = useTexts(shared)
  const label = useColumn()
  const names = useNames()
  return [
    { source: 'name', label: label('name'), sortable: true },
    { source: 'supplyNo', label: t.supplyNo, sortable: true },
    { source: 'kind', label: t.kind, kind: 'enum', of: 'supplyKind' },
    { source: 'stock', label: t.stock, kind: 'count', sortable: true },
    { source: 'unit', label: t.unit },
    { source: 'lent', label: t.lent, kind: 'count' },
    { source: 'minimum', label: t.minimum, kind: 'count' },
    { source: 'target', label: t.target, kind: 'count', isOptional: true },
    { source: 'categoryId', label: label('category'), render: ({ categoryId }) => names.category(categoryId) },
    { source: 'supplier', label: label('supplier'), isOptional: true },
    {
      source: 'price',
      label: t.price,
      kind: 'count',
      isOptional: true,
      render: ({ price }) => (price === null ? '' : number(Number(price))),
    },
    { source: 'updatedAt', kind: 'time', sortable: true, isOptional: true },
  ]
}

interface RowProps {
  supply: Supply
  isSelected: boolean
  onSelect: (isSelected: boolean) => void
}

function Row({ supply, isSelected, onSelect }: RowProps) {
  const t = useTexts(words)
  const s = useTexts(shared)
  const names = useNames()
  const places = supply.byLocation.map(({ locationId }) => names.location(locationId)).filter(Boolean)
  const isLow = supply.minimum !== null && supply.stock < supply.minimum
  return (
    <ThingRow
      to={`/assets/supplies/${supply.id}`}
      thing={supply}
      line={[supply.supplyNo, names.category(supply.categoryId), supply.supplier]}
      columns="auto minmax(0, 1fr) auto"
      more={
        <Typography noWrap variant="body2" color="text.secondary">
          {places.join(', ')}
        </Typography>
      }
      isSelected={isSelected}
      onSelect={onSelect}
      selectLabel={t.select(supply.name)}
    >
      <Box sx={{ textAlign: 'right' }}>
        <Typography sx={{ fontWeight: 600 }}>{t.stock(number(supply.stock), supply.unit)}</Typography>
        {supply.lent > 0 && (
          <Typography variant="body2" color="text.secondary">
            {s.lentOut(number(supply.lent))}
          </Typography>
        )}
        {isLow && <Chip size="small" color="warning" label={s.low} />}
      </Box>
    </ThingRow>
  )
}
