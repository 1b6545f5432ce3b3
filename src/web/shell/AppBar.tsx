/** The bar at the top: mark, workspace, notifications, language, theme and account. */

import { Brightness4, Brightness7, Menu as MenuIcon, Notifications, Refresh, Translate } from '@mui/icons-material'
import {
  AppBar as Bar,
  Badge,
  Box,
  IconButton,
  type IconButtonProps,
  Link as MuiLink,
  Slide,
  Toolbar,
  Tooltip,
  useScrollTrigger,
} from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'

import { site } from '../browser/site.ts'
import { switchLocale } from '../i18n/locale.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useUnread } from '../session/live.ts'
import { Logo } from '../ui/Logo.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import { PaletteButton } from './PaletteButton.tsx'
import { useSidebar } from './sidebar.ts'
import { useThemeMode } from './theme.ts'
import { WorkspaceSwitch } from './WorkspaceSwitch.tsx'

const words = texts({
  en: {
    notifications: (n: number) => (n === 0 ? 'Notifications' : `Notifications, ${n} unread`),
    language: '切换到中文',
    home: 'Start page',
    theme: 'Toggle light/dark mode',
    refresh: 'Refresh',
    openMenu: 'Open menu',
    closeMenu: 'Close menu',
  },
  zh: {
    notifications: (n: number) => (n === 0 ? '通知' : `通知，${n} 条未读`),
    language: 'Switch to English',
    home: '首页',
    theme: '切换明暗主题',
    refresh: '刷新',
    openMenu: '打开菜单',
    closeMenu: '收起菜单',
  },
})

export function AppBar() {
  const t = useTexts(words)
  const { notifications } = useUnread()
  const [mode, toggleMode] = useThemeMode()
  const [isOpen, setOpen] = useSidebar()
  const client = useQueryClient()
  // The bar makes room while the page is scrolled down.
  const isHidden = useScrollTrigger()
  return (
    <Slide appear={false} direction="down" in={!isHidden}>
      <Bar
        color="default"
        elevation={0}
        sx={{ borderBottom: 1, borderColor: 'divider', bgcolor: 'background.paper', displayPrint: 'none' }}
      >
        <Toolbar disableGutters variant="dense" sx={{ px: 1 }}>
          <ToolButton
            label={isOpen ? t.closeMenu : t.openMenu}
            onClick={() => setOpen(!isOpen)}
            // The navigation at the bottom of phones opens the menu.
            sx={{ ...NOT_ON_PHONES, mr: 0.5 }}
          >
            <MenuIcon />
          </ToolButton>
          <MuiLink
            component={Link}
            to="/"
            color="inherit"
            underline="none"
            sx={{
              display: 'flex',
              alignItems: 'center',
              gap: 1,
              fontWeight: 650,
              mr: 'auto',
              minWidth: 44,
              minHeight: 44,
              px: 0.5,
            }}
          >
            <Logo height={24} />
            <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
              {site.name}
            </Box>
            <span className="visually-hidden">{t.home}</span>
          </MuiLink>
          <PaletteButton />
          <WorkspaceSwitch />
          <Tooltip title={t.notifications(notifications)}>
            <IconButton
              component={Link}
              to="/notifications"
              color="inherit"
              aria-label={t.notifications(notifications)}
            >
              <Badge badgeContent={notifications || null} color="error" max={99}>
                <Notifications />
              </Badge>
            </IconButton>
          </Tooltip>
          <ToolButton label={t.language} onClick={switchLocale} sx={NOT_ON_PHONES}>
            <Translate />
          </ToolButton>
          <ToolButton label={t.theme} onClick={toggleMode} sx={NOT_ON_PHONES}>
            {mode === 'dark' ? <Brightness7 /> : <Brightness4 />}
          </ToolButton>
          <ToolButton label={t.refresh} onClick={() => void client.invalidateQueries()} sx={NOT_ON_PHONES}>
            <Refresh />
          </ToolButton>
          <AccountMenu />
        </Toolbar>
      </Bar>
    </Slide>
  )
}

const NOT_ON_PHONES = { display: { xs: 'none', sm: 'inline-flex' } }

const ToolButton = ({ label, ...button }: IconButtonProps & { label: string }) => (
  <Tooltip title={label}>
    <IconButton color="inherit" aria-label={label} {...button} />
  </Tooltip>
)
