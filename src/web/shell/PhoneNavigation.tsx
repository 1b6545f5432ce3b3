/** The navigation at the bottom of phones: the four parts that people use while walking, and the menu. */

import { Chat, Event, Menu as MenuIcon, QrCode2, QrCodeScanner } from '@mui/icons-material'
import { Badge, BottomNavigation, BottomNavigationAction, Paper } from '@mui/material'
import { Link, useLocation } from 'react-router'

import { texts, useTexts } from '../i18n/words.ts'
import { useUnread } from '../session/live.ts'
import { isAdminPath } from './navigation.ts'
import { useSidebar } from './sidebar.ts'

const words = texts({
  en: {
    navigation: 'Main navigation',
    codes: 'Codes',
    scan: 'Scan',
    activities: 'Activities',
    chats: 'Chats',
    more: 'Menu',
  },
  zh: { navigation: '主要功能', codes: '二维码', scan: '扫一扫', activities: '活动', chats: '聊天', more: '菜单' },
})

export function PhoneNavigation() {
  const t = useTexts(words)
  const [open, setOpen] = useSidebar()
  const { messages } = useUnread()
  const { pathname } = useLocation()
  const part = isAdminPath(pathname) ? 'menu' : pathname.split('/')[1]
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
        sx={{ '& .MuiBottomNavigationAction-root': { minWidth: 0, px: 0.5 } }}
      >
        <BottomNavigationAction value="codes" label={t.codes} icon={<QrCode2 />} component={Link} to="/codes" />
        <BottomNavigationAction
          value="activities"
          label={t.activities}
          icon={<Event />}
          component={Link}
          to="/activities"
        />
        <BottomNavigationAction value="scan" label={t.scan} icon={<QrCodeScanner />} component={Link} to="/scan" />
        <BottomNavigationAction
          value="chats"
          label={t.chats}
          icon={
            <Badge badgeContent={messages} color="error" max={99}>
              <Chat />
            </Badge>
          }
          component={Link}
          to="/chats"
        />
        <BottomNavigationAction value="menu" label={t.more} icon={<MenuIcon />} onClick={() => setOpen(!open)} />
      </BottomNavigation>
    </Paper>
  )
}
