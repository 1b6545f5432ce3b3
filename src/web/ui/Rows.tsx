/** A list of rows in a card, read page after page: loading, error, empty, and "Show more". */

import { Box, Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'

import type { Paged } from '../api/pages.ts'
import { ErrorNotice, Loading, MoreButton } from './Answer.tsx'

export interface RowsProps<Item> {
  query: Paged<Item>
  /** Shown if there is no row. */
  empty: ReactNode
  label: string
  keyOf: (item: Item) => string | number
  children: (item: Item) => ReactNode
}

export function Rows<Item>({ query, empty, label, keyOf, children }: RowsProps<Item>) {
  if (query.error !== null) return <ErrorNotice error={query.error} onRetry={query.retry} />
  if (query.items === undefined) return <Loading />
  if (query.items.length === 0) {
    return typeof empty === 'string' ? <Typography color="text.secondary">{empty}</Typography> : <>{empty}</>
  }
  return (
    <>
      <Box component="ul" aria-label={label} sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {query.items.map((item) => (
          <Box component="li" key={keyOf(item)} sx={{ py: 1.25, '& + &': { borderTop: 1, borderColor: 'divider' } }}>
            {children(item)}
          </Box>
        ))}
      </Box>
      <MoreButton shown={query.items.length} total={query.total} onMore={query.more} isLoading={query.isLoading} />
    </>
  )
}

/** One row: a title with details below, and buttons at the right that move below on phones. */
export function Row({ title, details, actions }: { title: ReactNode; details?: ReactNode; actions?: ReactNode }) {
  return (
    <Stack direction="row" sx={{ alignItems: 'center', flexWrap: 'wrap', columnGap: 2, rowGap: 0.5 }}>
      <Box sx={{ flex: 1, minWidth: { xs: 220, sm: 180 } }}>
        <Box sx={{ overflowWrap: 'anywhere' }}>{title}</Box>
        {details !== undefined && (
          <Typography variant="body2" component="div" color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
            {details}
          </Typography>
        )}
      </Box>
      {actions && (
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', justifyContent: 'flex-end', ml: 'auto' }}>
          {actions}
        </Box>
      )}
    </Stack>
  )
}
