/** The frame around every page: bar, menu, and on phones a navigation at the bottom. */

import { Box, Button } from '@mui/material'
import type { ReactNode } from 'react'
import { useLocation } from 'react-router'

import { texts, useTexts } from '../i18n/words.ts'
import { SignInAgain } from '../sign-in/SignInAgain.tsx'
import { Confirmation } from '../ui/Confirmation.tsx'
import { useIsPhone } from '../ui/use-is-phone.ts'
import { Agreements } from './Agreements.tsx'
import { AppBar } from './AppBar.tsx'
import { LeaveQuestion } from './LeaveQuestion.tsx'
import { LiveUpdates } from './LiveUpdates.tsx'
import { Menu } from './Menu.tsx'
import { NoConnection } from './NoConnection.tsx'
import { PageErrors } from './PageError.tsx'
import { PaletteHost } from './PaletteHost.tsx'
import { PhoneNavigation } from './PhoneNavigation.tsx'
import { Shortcuts } from './Shortcuts.tsx'

const words = texts({ en: { skip: 'Skip to content' }, zh: { skip: '跳到内容' } })

export function Layout({ children }: { children: ReactNode }) {
  const isPhone = useIsPhone()
  const { pathname } = useLocation()
  return (
    <>
      <SkipLink />
      <AppBar />
      <Box sx={{ display: 'flex', minHeight: '100dvh', pt: 6, '@media print': { pt: 0 } }}>
        <Menu />
        <Box
          component="main"
          // Wide content scrolls in its own box, not the page.
          sx={{ display: 'flex', flexDirection: 'column', flex: 1, minWidth: 0 }}
        >
          <Box
            id="main-content"
            sx={{
              display: 'flex',
              flexDirection: 'column',
              flex: 1,
              minWidth: 0,
              p: { xs: 1.5, sm: 3 },
              pb: { xs: 12, sm: 4 },
            }}
          >
            <NoConnection />
            <PageErrors at={pathname}>{children}</PageErrors>
          </Box>
        </Box>
      </Box>
      <Shortcuts />
      <PaletteHost />
      <LiveUpdates />
      <Agreements />
      <Confirmation />
      <LeaveQuestion />
      <SignInAgain />
      {isPhone && (
        <Box sx={{ displayPrint: 'none' }}>
          <PhoneNavigation />
        </Box>
      )}
    </>
  )
}

/** Tab goes on from the content. It cannot be focused otherwise, so that a click beside its elements does not move the focus. */
function skip(): void {
  const content = document.getElementById('main-content')!
  content.tabIndex = -1
  content.focus()
  content.blur()
  content.removeAttribute('tabindex')
}

/** The first stop of the keyboard: goes past bar and menu. Seen while it has the focus. */
function SkipLink() {
  const t = useTexts(words)
  return (
    <Button
      variant="contained"
      onClick={skip}
      sx={{ position: 'fixed', left: 16, top: -80, zIndex: 'tooltip', '&:focus': { top: 16 } }}
    >
      {t.skip}
    </Button>
  )
}
