/** Accounts at providers with which the user can sign in. */

import { BadgeOutlined } from '@mui/icons-material'
import { Button, List, ListItem, ListItemIcon, ListItemText, Stack } from '@mui/material'
import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import { notify } from '../../browser/notices.ts'
import { date } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Section } from '../../ui/parts.tsx'

const words = texts({
  en: {
    title: 'Sign-in with a provider',
    text: 'You can also sign in with an account at a provider, without your password here.',
    link: (name: string) => `Link ${name}`,
    used: (day: string) => `Last used ${day}`,
    unused: 'Not used yet',
    remove: 'Unlink',
    removeText: 'You can no longer sign in with it. Sessions that it opened on other devices end.',
    removed: 'The account is unlinked.',
    linked: 'The account is linked.',
    problems: {
      failed: 'The account could not be linked. Try again.',
      taken: 'Another user has linked this account.',
      unknown: 'The account could not be linked. Try again.',
      unavailable: 'The provider does not answer at the moment. Try again later.',
    },
  },
  zh: {
    title: '身份提供方登录',
    text: '也可以用身份提供方的账号登录，无需此处的密码。',
    link: (name: string) => `关联 ${name}`,
    used: (day: string) => `上次使用：${day}`,
    unused: '尚未使用',
    remove: '取消关联',
    removeText: '今后不能再用它登录，由它在其他设备上打开的会话将结束。',
    removed: '已取消关联。',
    linked: '账号已关联。',
    problems: {
      failed: '账号未能关联，请重试。',
      taken: '此账号已被其他用户关联。',
      unknown: '账号未能关联，请重试。',
      unavailable: '身份提供方暂时无法访问，请稍后再试。',
    },
  },
})

/** Shows once how a link has ended, and takes it from the address. */
function useOutcome(): void {
  const t = useTexts(words)
  const { search, pathname } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    const query = new URLSearchParams(search)
    const problem = query.get('error')
    if (query.has('linked')) notify(t.linked, 'success')
    else if (problem !== null && Object.hasOwn(t.problems, problem))
      notify(t.problems[problem as keyof typeof t.problems], 'warning')
    else return
    void navigate(pathname, { replace: true })
  }, [search, pathname, navigate, t])
}

/** Nothing where there are no providers. */
export function Providers() {
  const t = useTexts(words)
  useOutcome()
  const { data: linked } = useCall('oidc.identities')
  const { data: ways } = useCall('oidc.signInProviders')
  const start = useAction('oidc.link', { refreshes: [], onDone: ({ url }) => window.location.assign(url) })
  if (linked === undefined || ways === undefined || (linked.items.length === 0 && ways.items.length === 0)) return null
  const others = ways.items.filter(({ key }) => linked.items.every(({ provider }) => provider !== key))
  return (
    <Section title={t.title} text={t.text}>
      <List disablePadding>
        {linked.items.map(({ id, name, lastUsedAt }) => (
          <ListItem key={id} disableGutters sx={{ flexWrap: 'wrap' }}>
            <ListItemIcon sx={{ minWidth: 40 }}>
              <BadgeOutlined />
            </ListItemIcon>
            <ListItemText
              sx={{ flexBasis: 'calc(100% - 140px)' }}
              primary={name}
              secondary={lastUsedAt === null ? t.unused : t.used(date(lastUsedAt))}
            />
            <ActionButton
              operation="oidc.unlink"
              input={{ params: { id } }}
              label={t.remove}
              name={`${t.remove}: ${name}`}
              title={`${t.remove}: ${name}`}
              text={t.removeText}
              done={t.removed}
              refreshes={['oidc', 'profile']}
            />
          </ListItem>
        ))}
      </List>
      <Stack direction="row" useFlexGap spacing={1} sx={{ flexWrap: 'wrap' }}>
        {others.map(({ key, name }) => (
          <Button
            key={key}
            variant="outlined"
            loading={start.isPending}
            onClick={() => start.mutate({ params: { key }, body: { redirect: '/console/account/security' } })}
          >
            {t.link(name)}
          </Button>
        ))}
      </Stack>
    </Section>
  )
}
