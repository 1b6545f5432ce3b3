/** The menu at the side. Below `/admin` it shows the sections for administrators, elsewhere those for all users. */

import { AdminPanelSettings, ArrowBack, Tune } from '@mui/icons-material'
import {
  Badge,
  Box,
  Chip,
  Drawer,
  List,
  ListItem,
  ListItemButton,
  ListItemIcon,
  ListSubheader,
  Tooltip,
  Typography,
  useScrollTrigger,
} from '@mui/material'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'react-router'

import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { useOpenReports } from '../session/found.ts'
import { useUnread } from '../session/live.ts'
import { Nothing, part } from '../ui/part.tsx'
import { useIsNarrow, useIsPhone } from '../ui/use-is-phone.ts'
import { isAdminPath, useSections } from './navigation.ts'
import { useSidebar } from './sidebar.ts'

const words = texts({
  en: { menu: 'Menu', administration: 'Administration', back: 'My workspace', edit: 'Edit bar' },
  zh: { menu: '菜单', administration: '管理后台', back: '返回我的内容', edit: '编辑底部栏' },
})

/** Pixels. */
const WIDTH = { open: 248, closed: 56 }

export function Menu() {
  const t = useTexts(words)
  const isPhone = useIsPhone()
  const [isOpen, setOpen] = useSidebar()
  // The bar goes away while the page is scrolled down.
  const isAlone = useScrollTrigger()
  if (isPhone)
    return (
      <Drawer open={isOpen} onClose={() => setOpen(false)} slotProps={{ paper: { sx: { width: WIDTH.open } } }}>
        <nav aria-label={t.menu}>
          <Entries isOpen>
            <EditButton />
          </Entries>
        </nav>
      </Drawer>
    )
  const top = isAlone ? 0 : 48
  return (
    <Box
      component="nav"
      aria-label={t.menu}
      sx={{
        position: 'sticky',
        top,
        alignSelf: 'flex-start',
        height: `calc(100dvh - ${top}px)`,
        width: isOpen ? WIDTH.open : WIDTH.closed,
        flexShrink: 0,
        overflow: 'hidden auto',
        scrollbarWidth: 'none',
        transition: (theme) => theme.transitions.create(['width', 'top']),
        displayPrint: 'none',
      }}
    >
      <Entries isOpen={isOpen} />
    </Box>
  )
}

function Entries({ isOpen, children }: { isOpen: boolean; children?: ReactNode }) {
  const { pathname } = useLocation()
  const isAdmin = isAdminPath(pathname)
  const t = useTexts(words)
  const locale = useLocale()
  const sections = useSections(isAdmin)
  const first = useSections(true)[0]?.items[0]
  const { messages } = useUnread()
  const found = useOpenReports()
  return (
    <List sx={{ pb: 4 }}>
      {isAdmin && <Item to="/" label={t.back} icon={<ArrowBack />} isOpen={isOpen} />}
      {sections.flatMap(({ group, label, items }) => [
        ...(label !== null && isOpen
          ? [
              <ListSubheader key={group} sx={{ bgcolor: 'transparent', lineHeight: '2.5rem', mt: 1 }}>
                {label[locale]}
              </ListSubheader>,
            ]
          : []),
        ...items.map(({ to, label: name, icon: Icon, badge }) => (
          <Item
            key={to}
            to={to}
            label={name[locale]}
            icon={<Icon />}
            // The number of notifications is on the bell in the bar.
            unread={badge === 'messages' ? messages : badge === 'found' ? found : 0}
            isOpen={isOpen}
          />
        )),
      ])}
      {!isAdmin && first !== undefined && (
        <Item to={first.to} label={t.administration} icon={<AdminPanelSettings />} isOpen={isOpen} mt={2} />
      )}
      {children}
    </List>
  )
}

const EditBar = part(() => import('./EditBar.tsx'), Nothing)

/** Opens the dialog that changes the bar at the bottom of phones. Menu and dialog close together. */
function EditButton() {
  const t = useTexts(words)
  const [, setOpen] = useSidebar()
  const [isEditing, setEditing] = useState(false)
  return (
    <ListItem disablePadding sx={{ mt: 2 }}>
      <ListItemButton onClick={() => setEditing(true)} sx={{ py: 1.25, color: 'text.secondary' }}>
        <ListItemIcon sx={{ minWidth: 40 }}>
          <Tune />
        </ListItemIcon>
        {t.edit}
      </ListItemButton>
      {isEditing && <EditBar onClose={() => setOpen(false)} />}
    </ListItem>
  )
}

interface ItemProps {
  to: string
  label: string
  icon: ReactNode
  unread?: number
  /** False: the menu shows only icons. */
  isOpen: boolean
  mt?: number
}

function Item({ to, label, icon, unread = 0, isOpen, mt = 0 }: ItemProps) {
  const { pathname } = useLocation()
  const isNarrow = useIsNarrow()
  const [, setOpen] = useSidebar()
  // The overview of administrators has no pages below it.
  const isCurrent = pathname === to || (to !== '/admin' && to !== '/' && pathname.startsWith(`${to}/`))
  const entry = (
    <ListItemButton
      component={Link}
      to={to}
      {...(isCurrent && { 'aria-current': 'page' })}
      onClick={() => isNarrow && setOpen(false)}
      sx={{
        py: { xs: 1.25, sm: 0.75 },
        color: 'text.secondary',
        '& .MuiListItemIcon-root': { minWidth: 40, color: 'text.secondary' },
        '&[aria-current]': { color: 'primary.main', bgcolor: 'action.selected', fontWeight: 600 },
      }}
    >
      <ListItemIcon>
        <Badge badgeContent={isOpen || unread === 0 ? null : unread} color="error" max={99}>
          {icon}
        </Badge>
      </ListItemIcon>
      <Typography variant="inherit" noWrap sx={{ flex: 1 }}>
        {label}
      </Typography>
      {isOpen && unread > 0 && (
        <Chip
          size="small"
          color="error"
          label={unread > 99 ? '99+' : unread}
          sx={{ height: 20, ml: 1, fontWeight: 650 }}
        />
      )}
    </ListItemButton>
  )
  return (
    <ListItem disablePadding sx={{ mt }}>
      {isOpen ? (
        entry
      ) : (
        <Tooltip title={label} placement="right">
          {entry}
        </Tooltip>
      )}
    </ListItem>
  )
}
