/** The bar at the top: mark, workspace, title of the page, notifications, language, theme and account. */

import { Notifications, Translate } from '@mui/icons-material'
import { Badge, Box, IconButton, Tooltip } from '@mui/material'
import { AppBar as RaAppBar, RefreshIconButton, TitlePortal, ToggleThemeButton, useLocaleState } from 'react-admin'
import { Link } from 'react-router'

import { texts, useTexts } from '../i18n/words.ts'
import { useUnread } from '../session/live.ts'
import { AccountMenu } from './AccountMenu.tsx'
import { WorkspaceSwitch } from './WorkspaceSwitch.tsx'

const words = texts({
  en: {
    notifications: (n: number) => (n === 0 ? 'Notifications' : `Notifications, ${n} unread`),
    language: '切换到中文',
  },
  zh: { notifications: (n: number) => (n === 0 ? '通知' : `通知，${n} 条未读`), language: 'Switch to English' },
})

export function AppBar() {
  const t = useTexts(words)
  const { notifications } = useUnread()
  const [locale, setLocale] = useLocaleState()
  return (
    <RaAppBar
      color="default"
      elevation={0}
      toolbar={<></>}
      userMenu={<AccountMenu />}
      sx={{ borderBottom: 1, borderColor: 'divider', bgcolor: 'background.paper', displayPrint: 'none' }}
    >
      <TitlePortal sx={{ display: { xs: 'none', sm: 'block' } }} />
      <Box sx={{ flex: 1, display: { sm: 'none' } }} />
      <WorkspaceSwitch />
      <Tooltip title={t.notifications(notifications)}>
        <IconButton component={Link} to="/notifications" color="inherit" aria-label={t.notifications(notifications)}>
          <Badge badgeContent={notifications} color="error" max={99}>
            <Notifications />
          </Badge>
        </IconButton>
      </Tooltip>
      <Tooltip title={t.language}>
        <IconButton
          color="inherit"
          aria-label={t.language}
          onClick={() => setLocale(locale === 'en' ? 'zh' : 'en')}
          sx={{ display: { xs: 'none', sm: 'inline-flex' } }}
        >
          <Translate />
        </IconButton>
      </Tooltip>
      <Box sx={{ display: { xs: 'none', sm: 'block' } }}>
        <ToggleThemeButton />
        <RefreshIconButton />
      </Box>
    </RaAppBar>
  )
}
