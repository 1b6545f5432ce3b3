/** The frame around every page: bar, menu, and on phones a navigation at the bottom. */

import { Box } from '@mui/material'
import { type ReactNode, useEffect } from 'react'
import { Layout as RaLayout, useLogout } from 'react-admin'

import { hasSignedOut, useOptionalSession } from '../session/session.ts'
import { SignInAgain } from '../sign-in/SignInAgain.tsx'
import { Confirmation } from '../ui/Confirmation.tsx'
import { useIsPhone } from '../ui/use-is-phone.ts'
import { Agreements } from './Agreements.tsx'
import { AppBar } from './AppBar.tsx'
import { LiveUpdates } from './LiveUpdates.tsx'
import { Menu } from './Menu.tsx'
import { PageError } from './PageError.tsx'
import { PhoneNavigation } from './PhoneNavigation.tsx'
import { Shortcuts } from './Shortcuts.tsx'

export function Layout({ children }: { children: ReactNode }) {
  const session = useOptionalSession()
  const isPhone = useIsPhone()
  // The session has just ended: the pages, which need its user, give way to the sign-in.
  if (session === undefined) return <Ended />
  return (
    <RaLayout
      appBar={AppBar}
      error={PageError}
      menu={Menu}
      sx={{
        '& .RaLayout-content': {
          p: { xs: 1.5, sm: 3 },
          pb: { xs: 12, sm: 4 },
          minWidth: 0,
          bgcolor: 'background.default',
        },
        '& .RaLayout-appFrame': { mt: 6 },
        '@media print': {
          '& .RaLayout-appFrame': { mt: 0 },
          '& .RaSidebar-fixed, & .RaSidebar-docked': { display: 'none' },
        },
      }}
    >
      {children}
      <Shortcuts />
      <LiveUpdates />
      <Agreements />
      <Confirmation />
      <SignInAgain />
      {isPhone && (
        <Box sx={{ displayPrint: 'none' }}>
          <PhoneNavigation />
        </Box>
      )}
    </RaLayout>
  )
}

/** Goes to the sign-in page, and back to this page afterwards unless the user has signed out. */
function Ended() {
  const logout = useLogout()
  useEffect(() => void logout({}, '/login', !hasSignedOut()), [logout])
  return null
}
