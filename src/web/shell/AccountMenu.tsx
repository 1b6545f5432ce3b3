/** The menu behind the user's picture. On phones it also has language and theme. */

import { AccountCircle, DarkMode, Logout as LogoutIcon, ManageAccounts, Translate } from '@mui/icons-material'
import {
  Avatar,
  Button,
  IconButton,
  ListItemIcon,
  ListItemText,
  Menu,
  MenuItem,
  Tooltip,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { switchLocale } from '../i18n/locale.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useSession } from '../session/session.ts'
import { useIsPhone } from '../ui/use-is-phone.ts'
import { useThemeMode } from './theme.ts'
import { useSignOut } from './use-sign-out.tsx'

const words = texts({
  en: {
    profile: 'Profile',
    profileOf: (name: string) => `Profile: ${name}`,
    account: 'Account and security',
    theme: 'Light or dark',
    language: '中文',
    signOut: 'Sign out',
  },
  zh: {
    profile: '个人菜单',
    profileOf: (name: string) => `个人菜单：${name}`,
    account: '账号与安全',
    theme: '明暗主题',
    language: 'English',
    signOut: '退出登录',
  },
})

export function AccountMenu() {
  const t = useTexts(words)
  const isPhone = useIsPhone()
  const { user } = useSession()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const signOut = useSignOut()
  const name = user.nickname || user.username || String(user.id)
  const picture =
    user.avatarUrl === null ? <AccountCircle /> : <Avatar src={user.avatarUrl} alt="" sx={{ width: 24, height: 24 }} />
  const opener = {
    color: 'inherit',
    'aria-haspopup': 'menu',
    onClick: ({ currentTarget }: { currentTarget: HTMLElement }) => setAnchor(currentTarget),
  } as const
  return (
    <>
      {isPhone ? (
        <Tooltip title={t.profile}>
          <IconButton aria-label={t.profile} {...opener}>
            {picture}
          </IconButton>
        </Tooltip>
      ) : (
        // The button shows the name, so that its label must contain it.
        <Button aria-label={t.profileOf(name)} {...opener} startIcon={picture} sx={{ ml: 0.5, maxWidth: 220 }}>
          <Typography component="span" variant="inherit" noWrap>
            {name}
          </Typography>
        </Button>
      )}
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)} disableScrollLock>
        <Items onClose={() => setAnchor(null)} onSignOut={signOut.ask} />
      </Menu>
      {signOut.dialog}
    </>
  )
}

function Items({ onClose, onSignOut }: { onClose: () => void; onSignOut: () => void }) {
  const t = useTexts(words)
  const isPhone = useIsPhone()
  const [, toggleMode] = useThemeMode()
  return (
    <>
      <MenuItem component={Link} to="/account" onClick={onClose}>
        <ListItemIcon>
          <ManageAccounts fontSize="small" />
        </ListItemIcon>
        <ListItemText>{t.account}</ListItemText>
      </MenuItem>
      {isPhone && [
        <MenuItem key="language" onClick={switchLocale}>
          <ListItemIcon>
            <Translate fontSize="small" />
          </ListItemIcon>
          <ListItemText>{t.language}</ListItemText>
        </MenuItem>,
        <MenuItem key="theme" onClick={toggleMode}>
          <ListItemIcon>
            <DarkMode fontSize="small" />
          </ListItemIcon>
          <ListItemText>{t.theme}</ListItemText>
        </MenuItem>,
      ]}
      <MenuItem
        onClick={() => {
          onClose()
          onSignOut()
        }}
      >
        <ListItemIcon>
          <LogoutIcon fontSize="small" />
        </ListItemIcon>
        <ListItemText>{t.signOut}</ListItemText>
      </MenuItem>
    </>
  )
}
