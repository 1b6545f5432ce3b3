/** The buttons of providers above the other ways to sign in, and why the last attempt with one failed. */

import { Alert, Button, Stack } from '@mui/material'
import { useLocation } from 'react-router'

import { urlOf } from '../api/client.ts'
import type { SignInProviders } from '../api/types.ts'
import { tabStorage } from '../browser/storage.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useTarget } from './target.ts'
import { TARGET } from './Ticket.tsx'

const words = texts({
  en: {
    by: (name: string) => `Sign in with ${name}`,
    problems: {
      failed: 'The sign-in did not work. Try again, or ask an administrator.',
      unknown:
        'This account belongs to no user here. Sign in another way and link it under Account → Security, or ask an administrator.',
      taken: 'Another user has linked this account.',
      unavailable: 'The provider does not answer at the moment. Try again later.',
    },
  },
  zh: {
    by: (name: string) => `通过 ${name} 登录`,
    problems: {
      failed: '登录未成功，请重试或联系管理员。',
      unknown: '此账号尚未与本站用户关联。请用其他方式登录后在“账号 → 安全”中关联，或联系管理员。',
      taken: '此账号已被其他用户关联。',
      unavailable: '身份提供方暂时无法访问，请稍后再试。',
    },
  },
})

export default function Providers({ items }: { items: SignInProviders['items'] }) {
  const t = useTexts(words)
  const { target } = useTarget()
  const { search } = useLocation()
  const problem = new URLSearchParams(search).get('error')
  return (
    <>
      {problem !== null && Object.hasOwn(t.problems, problem) && (
        <Alert severity="warning">{t.problems[problem as keyof typeof t.problems]}</Alert>
      )}
      <Stack spacing={1}>
        {items.map(({ key, name }) => (
          <Button
            key={key}
            variant="outlined"
            size="large"
            href={urlOf('oidc.start', { params: { key }, query: { redirect: '/console/login' } })}
            onClick={() => tabStorage.setItem(TARGET, target)}
          >
            {t.by(name)}
          </Button>
        ))}
      </Stack>
    </>
  )
}
