/** Opens the command palette: on wide screens drawn like a field, with its key. */

import { Search } from '@mui/icons-material'
import { Box, ButtonBase, IconButton } from '@mui/material'

import { texts, useTexts } from '../i18n/words.ts'
import { useIsNarrow } from '../ui/use-is-phone.ts'
import { openPalette, PALETTE_KEY } from './palette-state.ts'

const words = texts({ en: { all: 'Search everything' }, zh: { all: '搜索全部' } })

export function PaletteButton() {
  const t = useTexts(words)
  const isNarrow = useIsNarrow()
  const shared = { 'aria-haspopup': 'dialog', 'aria-keyshortcuts': 'Control+K Meta+K /', onClick: openPalette } as const
  if (isNarrow)
    return (
      <IconButton {...shared} aria-label={t.all} color="inherit" sx={{ width: 44, height: 44 }}>
        <Search />
      </IconButton>
    )
  return (
    <ButtonBase
      {...shared}
      sx={{
        width: 250,
        height: 36,
        px: 1.5,
        mr: 1,
        gap: 1,
        border: 1,
        borderColor: 'divider',
        borderRadius: 1,
        color: 'text.secondary',
        justifyContent: 'flex-start',
        typography: 'body2',
        whiteSpace: 'nowrap',
        '&:hover': { borderColor: 'text.secondary' },
      }}
    >
      <Search fontSize="small" />
      <Box component="span" sx={{ flex: 1, textAlign: 'left' }}>
        {t.all}
      </Box>
      <Box component="kbd" sx={{ fontSize: '0.8125rem', fontFamily: 'inherit' }}>
        {PALETTE_KEY}
      </Box>
    </ButtonBase>
  )
}
