/** The bar at the bottom of phones: four parts that the user chooses, and the menu. */

import { Menu as MenuIcon } from '@mui/icons-material'
import { Badge, BottomNavigation, BottomNavigationAction, Paper } from '@mui/material'
import { Link, useLocation } from 'react-router'

import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { useOpenReports } from '../session/found.ts'
import { useUnread } from '../session/live.ts'
import { usePhoneBar } from './bar.ts'
import { isAdminPath } from './navigation.ts'
import { useSidebar } from './sidebar.ts'

const words = texts({
  en: { navigation: 'Main navigation', more: 'Menu' },
  zh: { navigation: '主要功能', more: '菜单' },
})

const LABEL = { maxWidth: '100%', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }

export function PhoneNavigation() {
  const t = useTexts(words)
  const [open, setOpen] = useSidebar()
  const locale = useLocale()
  const { items } = usePhoneBar()
  const found = useOpenReports(items.some(({ badge }) => badge === 'found'))
  const numbers = { ...useUnread(), found }
  const { pathname } = useLocation()
  const part = isAdminPath(pathname) ? 'menu' : `/${pathname.split('/')[1]}`
  return (
    <Paper
      component="nav"
      aria-label={t.navigation}
      square
      sx={{
        position: 'fixed',
        bottom: 0,
        left: 0,
        right: 0,
        zIndex: 'appBar',
        borderTop: 1,
        borderColor: 'divider',
        pb: 'env(safe-area-inset-bottom)',
      }}
    >
      <BottomNavigation
        showLabels
        value={part}
        component="div"
        sx={{
          '& .MuiBottomNavigationAction-root': { minWidth: 0, px: 0.25 },
          '& .MuiBottomNavigationAction-label': LABEL,
        }}
      >
        {items.map(({ to, label, icon: Icon, badge }) => (
          <BottomNavigationAction
            key={to}
            value={to}
            label={label[locale]}
            icon={
              <Badge badgeContent={(badge && numbers[badge]) || null} color="error" max={99}>
                <Icon />
              </Badge>
            }
            component={Link}
            to={to}
          />
        ))}
        <BottomNavigationAction value="menu" label={t.more} icon={<MenuIcon />} onClick={() => setOpen(!open)} />
      </BottomNavigation>
    </Paper>
  )
}
