/** The bar at the top: mark, workspace, notifications, language, theme and account. */

import { Notifications, Translate } from '@mui/icons-material'
import { Badge, Box, IconButton, Link as MuiLink, Tooltip } from '@mui/material'
import { useEffect, useRef } from 'react'
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
    home: 'Start page',
  },
  zh: {
    notifications: (n: number) => (n === 0 ? '通知' : `通知，${n} 条未读`),
    language: 'Switch to English',
    home: '首页',
  },
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
      sx={{
        borderBottom: 1,
        borderColor: 'divider',
        bgcolor: 'background.paper',
        displayPrint: 'none',
        // The navigation at the bottom of phones opens the menu.
        '& .RaAppBar-menuButton': { display: { xs: 'none', sm: 'inline-flex' } },
        // A long name is cut, not the bar.
        '& .RaUserMenu-userButton': {
          display: 'block',
          maxWidth: 220,
          overflow: 'hidden',
          textOverflow: 'ellipsis',
          whiteSpace: 'nowrap',
          '& .MuiButton-startIcon': { display: 'inline-flex', verticalAlign: 'middle' },
        },
      }}
    >
      <TabTitle />
      <MuiLink
        component={Link}
        to="/"
        color="inherit"
        underline="none"
        sx={{ display: 'flex', alignItems: 'center', gap: 1, fontWeight: 650, mr: 'auto' }}
      >
        <img src="/favicon.svg" alt="" width={24} height={24} />
        <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
          Tessera
        </Box>
        <span className="visually-hidden">{t.home}</span>
      </MuiLink>
      <WorkspaceSwitch />
      <Tooltip title={t.notifications(notifications)}>
        <IconButton component={Link} to="/notifications" color="inherit" aria-label={t.notifications(notifications)}>
          <Badge badgeContent={notifications || null} color="error" max={99}>
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

/** Shows the title of the page, which react-admin writes into the bar, in the browser's tab instead. */
function TabTitle() {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const show = () => {
      const title = place.current?.textContent ?? ''
      document.title = title === '' ? 'Tessera' : `${title} · Tessera`
    }
    const observer = new MutationObserver(show)
    observer.observe(place.current!, { childList: true, characterData: true, subtree: true })
    show()
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={place} hidden>
      <TitlePortal />
    </div>
  )
}
