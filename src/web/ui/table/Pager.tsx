/** The pages of a table, and how many rows they have. */

import { Pagination, Stack, TablePagination } from '@mui/material'

import { number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { SIZES } from './address.ts'

const words = texts({
  en: {
    size: 'Rows per page:',
    range: (from: number, to: number, total: number) => `${number(from)}-${number(to)} of ${number(total)}`,
    page: (n: number) => `Go to page ${n}`,
    current: (n: number) => `Page ${n}`,
    first: 'Go to first page',
    last: 'Go to last page',
    next: 'Go to next page',
    previous: 'Go to previous page',
  },
  zh: {
    size: '每页行数：',
    range: (from: number, to: number, total: number) => `${number(from)}–${number(to)}，共 ${number(total)}`,
    page: (n: number) => `转到第 ${n} 页`,
    current: (n: number) => `第 ${n} 页`,
    first: '第一页',
    last: '最后一页',
    next: '下一页',
    previous: '上一页',
  },
})

export interface PagerProps {
  /** Counts from 1. */
  page: number
  size: number
  total: number
  onPage: (page: number) => void
  onSize: (size: number) => void
  isPhone: boolean
}

export function Pager({ page, size, total, onPage, onSize, isPhone }: PagerProps) {
  const t = useTexts(words)
  const last = Math.ceil(total / size)
  return (
    <Stack direction="row" sx={{ alignItems: 'center', justifyContent: 'flex-end', flexWrap: 'wrap' }}>
      <TablePagination
        component="div"
        count={total}
        page={Math.min(page, last) - 1}
        rowsPerPage={size}
        rowsPerPageOptions={isPhone ? [] : SIZES}
        labelRowsPerPage={t.size}
        labelDisplayedRows={({ from, to, count }) => t.range(from, to, count)}
        onPageChange={(_, next) => onPage(next + 1)}
        onRowsPerPageChange={({ target }) => onSize(Number(target.value))}
        ActionsComponent={NoButtons}
      />
      {last > 1 && (
        <Pagination
          size="small"
          count={last}
          page={page}
          siblingCount={isPhone ? 0 : 1}
          onChange={(_, next) => onPage(next)}
          getItemAriaLabel={(type, n, isSelected) => {
            if (type === 'page') return (isSelected ? t.current : t.page)(n ?? 1)
            return type === 'next' || type === 'previous' || type === 'first' || type === 'last' ? t[type] : ''
          }}
          sx={{ py: 1 }}
        />
      )}
    </Stack>
  )
}

/** The buttons of `Pagination` also open a page by its number. */
const NoButtons = () => null
