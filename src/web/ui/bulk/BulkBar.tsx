/** The bar above a list: selects the rows that are shown or all of the list, and offers actions while some are selected. */

import { Close } from '@mui/icons-material'
import { Box, Checkbox, IconButton, Paper, Stack, Tooltip, Typography } from '@mui/material'
import { type ReactNode, useEffect } from 'react'

import { texts, useTexts } from '../../i18n/words.ts'
import { focusTitle } from '../Page.tsx'
import type { Selection } from '../table/selection.ts'
import { AllRows } from './AllRows.tsx'
import { BulkState } from './BulkState.tsx'
import type { Bulk } from './use-bulk.ts'

const words = texts({
  en: {
    all: 'Select all shown',
    clear: 'Clear the selection',
    actions: 'Actions for the selection',
    selected: (n: number) => `${n} selected`,
  },
  zh: {
    all: '全选已显示的',
    clear: '取消选择',
    actions: '对所选内容的操作',
    selected: (n: number) => `已选 ${n} 个`,
  },
})

export interface BulkBarProps<Row> {
  bulk: Bulk
  selection: Selection<Row>
  /** Shown while nothing is selected: the number of rows. */
  total: string
  /** Buttons, while something is selected. */
  children: ReactNode
}

export function BulkBar<Row>({ bulk, selection, total, children }: BulkBarProps<Row>) {
  const t = useTexts(words)
  const { rows, isAllShown, set, toggleShown } = selection
  const isActive = rows.size > 0
  const isBusy = bulk.progress !== undefined
  // The bar goes with the last row of the list.
  useEffect(() => focusTitle, [])
  const clear = () => {
    bulk.forget()
    set([])
  }
  return (
    <Paper
      variant="outlined"
      {...(isActive && { role: 'toolbar', 'aria-label': t.actions })}
      sx={{
        mb: 1,
        px: { xs: 0.5, sm: 1 },
        py: 0.5,
        displayPrint: 'none',
        ...(isActive
          ? { position: 'sticky', top: { xs: 60, sm: 52 }, zIndex: 2 }
          : { bgcolor: 'transparent', borderColor: 'transparent' }),
      }}
    >
      <Stack direction="row" useFlexGap spacing={0.5} sx={{ alignItems: 'center', flexWrap: 'wrap', minHeight: 44 }}>
        <Checkbox
          checked={isAllShown}
          indeterminate={!isAllShown && isActive}
          disabled={isBusy}
          onChange={() => (isAllShown ? clear() : toggleShown(true))}
          slotProps={{ input: { 'aria-label': t.all } }}
        />
        <Typography
          component="output"
          variant="body2"
          color={isActive ? undefined : 'text.secondary'}
          sx={{ flex: 1, whiteSpace: 'nowrap', ...(isActive && { fontWeight: 600 }) }}
        >
          {isActive ? t.selected(rows.size) : total}
        </Typography>
        {/* On phones the buttons have a row of their own. */}
        {isActive && (
          <>
            {!isBusy && <AllRows selection={selection} />}
            {selection.reading === undefined && (
              <Box
                sx={{ order: { xs: 2, sm: 0 }, display: 'flex', flexWrap: 'wrap', width: { xs: '100%', sm: 'auto' } }}
              >
                {children}
              </Box>
            )}
            <Tooltip title={t.clear}>
              <IconButton aria-label={t.clear} disabled={isBusy} onClick={clear}>
                <Close />
              </IconButton>
            </Tooltip>
          </>
        )}
      </Stack>
      <BulkState bulk={bulk} />
    </Paper>
  )
}
