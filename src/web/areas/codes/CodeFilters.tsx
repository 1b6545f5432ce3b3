/** The search field, filters and order above the list of codes. */

import { Box, MenuItem, TextField } from '@mui/material'

import type { ContentType } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { useChoices } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { SearchField } from '../../ui/SearchField.tsx'
import { type Filters, type Order, rememberOrder } from './filters.ts'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    ...common.en,
    any: 'All types',
    show: 'Show',
    public: 'Public',
    private: 'Private',
    pinned: 'Pinned',
    sort: 'Order',
    orders: {
      '-createdAt': 'Newest first',
      own: 'My order',
      createdAt: 'Oldest first',
      '-updatedAt': 'Last changed',
      name: 'Name A–Z',
      '-scanCount': 'Most scanned',
    },
  },
  zh: {
    ...common.zh,
    any: '全部类型',
    show: '显示',
    public: '公开',
    private: '私有',
    pinned: '已置顶',
    sort: '排序',
    orders: {
      '-createdAt': '最新创建',
      own: '我的顺序',
      createdAt: '最早创建',
      '-updatedAt': '最近修改',
      name: '按名称',
      '-scanCount': '扫码最多',
    },
  },
})

export interface CodeFiltersProps {
  filters: Filters
  order: Order
  onChange: (change: Filters) => void
}

export function CodeFilters({ filters, order, onChange }: CodeFiltersProps) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const types = useChoices('contentType')
  const show =
    filters.pinned === true
      ? 'pinned'
      : filters.isPublic === undefined
        ? 'all'
        : filters.isPublic
          ? 'public'
          : 'private'
  const setShow = (value: string) =>
    onChange({
      pinned: value === 'pinned' ? true : undefined,
      isPublic: value === 'public' ? true : value === 'private' ? false : undefined,
    })
  return (
    <Box
      sx={{
        display: 'grid',
        columnGap: 1,
        rowGap: 1.5,
        mb: 1,
        gridTemplateColumns: { xs: 'repeat(3, minmax(0, 1fr))', sm: 'minmax(160px, 1fr) repeat(3, minmax(0, 150px))' },
      }}
    >
      <SearchField
        label={t.search}
        value={filters.keyword ?? ''}
        onSearch={(keyword) => onChange({ keyword: keyword === '' ? undefined : keyword })}
        sx={{ gridColumn: { xs: '1 / -1', sm: 'auto' } }}
      />
      <TextField
        select
        label={shared.type}
        value={filters.contentType ?? 'ANY'}
        onChange={({ target: { value } }) =>
          onChange({ contentType: value === 'ANY' ? undefined : (value as ContentType) })
        }
      >
        <MenuItem value="ANY">{t.any}</MenuItem>
        {types.map(({ id, name }) => (
          <MenuItem key={id} value={id}>
            {name}
          </MenuItem>
        ))}
      </TextField>
      <TextField select label={t.show} value={show} onChange={({ target }) => setShow(target.value)}>
        {(['all', 'public', 'private', 'pinned'] as const).map((value) => (
          <MenuItem key={value} value={value}>
            {t[value]}
          </MenuItem>
        ))}
      </TextField>
      <TextField
        select
        label={t.sort}
        // The compact table has further orders.
        value={order in t.orders ? order : ''}
        onChange={({ target: { value } }) => {
          rememberOrder(value as Order)
          onChange({ sort: value as Order })
        }}
      >
        {Object.entries(t.orders).map(([value, name]) => (
          <MenuItem key={value} value={value}>
            {name}
          </MenuItem>
        ))}
      </TextField>
    </Box>
  )
}
