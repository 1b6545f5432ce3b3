/** The menu behind the user's picture. On phones it also has language and theme. */

import { DarkMode, Logout as LogoutIcon, ManageAccounts, Translate } from '@mui/icons-material'
import { ListItemIcon, ListItemText, MenuItem, Typography, useMediaQuery } from '@mui/material'
import { useState } from 'react'
import { useGetIdentity, useLocaleState, useLogout, UserMenu, useTheme, useUserMenu } from 'react-admin'
import { Link } from 'react-router'

import { notify } from '../browser/notices.ts'
import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { ConfirmDialog } from '../ui/dialogs.tsx'
import { useIsPhone } from '../ui/use-is-phone.ts'
import { sendUnsent } from './unsent.ts'

const words = texts({
  en: {
    profile: (name: string) => `Profile: ${name}`,
    account: 'Account and security',
    theme: 'Light or dark',
    language: '中文',
    signOut: 'Sign out',
    stillSignedIn: 'You are still signed in.',
    signOutTitle: 'Sign out?',
  },
  zh: {
    profile: (name: string) => `个人菜单：${name}`,
    account: '账号与安全',
    theme: '明暗主题',
    language: 'English',
    signOut: '退出登录',
    stillSignedIn: '你仍处于登录状态。',
    signOutTitle: '退出登录？',
  },
})

export function AccountMenu() {
  const t = useTexts(words)
  const isPhone = useIsPhone()
  const { data } = useGetIdentity()
  const signOut = useSignOut()
  // The button shows the name, so that its label must contain it. On phones it is a picture with the label of react-admin.
  return (
    <>
      <UserMenu {...(!isPhone && data?.fullName !== undefined && { label: t.profile(data.fullName) })}>
        <Items onSignOut={signOut.ask} />
      </UserMenu>
      <ConfirmDialog
        isOpen={signOut.unsent !== undefined}
        title={t.signOutTitle}
        text={signOut.unsent?.map((text) => (
          <Typography key={text}>{text}</Typography>
        ))}
        action={t.signOut}
        onConfirm={signOut.confirm}
        onClose={signOut.cancel}
      />
    </>
  )
}

/** Asks only if something was not sent that this browser alone has. */
function useSignOut() {
  const t = useTexts(words)
  const locale = useLocale()
  const logout = useLogout()
  const [unsent, setUnsent] = useState<string[]>()
  const end = async () => {
    setUnsent(undefined)
    try {
      await logout({}, '/login', false)
    } catch (error) {
      const message = error instanceof Error ? error.message : ''
      notify(`${t.stillSignedIn} ${message}`, 'error')
    }
  }
  const ask = async () => {
    const left = await sendUnsent()
    if (left.length === 0) await end()
    else setUnsent(left.map((notice) => notice[locale]))
  }
  return { unsent, ask: () => void ask(), confirm: () => void end(), cancel: () => setUnsent(undefined) }
}

function Items({ onSignOut }: { onSignOut: () => void }) {
  const t = useTexts(words)
  const menu = useUserMenu()
  const isPhone = useIsPhone()
  const isDarkSystem = useMediaQuery('(prefers-color-scheme: dark)')
  const [locale, setLocale] = useLocaleState()
  const [theme, setTheme] = useTheme(isDarkSystem ? 'dark' : 'light')
  const close = () => menu?.onClose()
  return (
    <>
      <MenuItem component={Link} to="/account" onClick={close}>
        <ListItemIcon>
          <ManageAccounts fontSize="small" />
        </ListItemIcon>
        <ListItemText>{t.account}</ListItemText>
      </MenuItem>
      {isPhone && [
        <MenuItem key="language" onClick={() => setLocale(locale === 'en' ? 'zh' : 'en')}>
          <ListItemIcon>
            <Translate fontSize="small" />
          </ListItemIcon>
          <ListItemText>{t.language}</ListItemText>
        </MenuItem>,
        <MenuItem key="theme" onClick={() => setTheme(theme === 'dark' ? 'light' : 'dark')}>
          <ListItemIcon>
            <DarkMode fontSize="small" />
          </ListItemIcon>
          <ListItemText>{t.theme}</ListItemText>
        </MenuItem>,
      ]}
      <MenuItem
        onClick={() => {
          close()
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
