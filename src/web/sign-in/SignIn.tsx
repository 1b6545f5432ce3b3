/** Sign-in with a password or with a code by mail or SMS, and with the second factor of those who have one. */

import { Alert, Button, Link, TextField } from '@mui/material'
import { useEffect, useState } from 'react'
import { Link as RouterLink, useLocation, useNavigate } from 'react-router'

import { useCall } from '../api/hooks.ts'
import { finishSignOut, isSigningOut, mayBeSignedIn } from '../api/tokens.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { sessionEndReason } from '../session/live.ts'
import { hasSignedOut, restoreSession } from '../session/session.ts'
import { CodeField } from '../ui/CodeField.tsx'
import { ToggleField } from '../ui/fields.tsx'
import { Nothing, part } from '../ui/part.tsx'
import type { Form } from '../ui/use-form.tsx'
import { Frame } from './Frame.tsx'
import { useTarget } from './target.ts'
import { type FactorValues, NO_FACTOR, useSignIn } from './use-sign-in.ts'

/** Not needed by everybody, and therefore not part of the first load. */
const PasskeySignIn = part(
  // Without a connection nobody can sign in, but the page must be there.
  () => import('./PasskeySignIn.tsx').catch(() => ({ default: Nothing })),
  Nothing,
)
const FactorFields = part(() => import('./FactorFields.tsx'), Nothing)
const Ticket = part(() => import('./Ticket.tsx'), Nothing)
const Providers = part(() => import('./Providers.tsx'), Nothing)

const words = texts({
  en: {
    title: 'Sign in',
    account: 'Username, e-mail or phone',
    contact: 'E-mail or phone',
    ways: { password: 'Password', code: 'Code' },
    submit: 'Sign in',
    ending:
      'The server cannot be reached, so your session has not ended there yet. Leave this page open: it ends as soon as the server answers.',
    waiting: 'The server cannot be reached. You go on as soon as it answers.',
    register: 'Create an account',
    forgot: 'Forgot your password?',
    administrators: 'Administrators',
    start: 'I have a start code',
    reasons: {
      LOGOUT: 'You have signed out.',
      REVOKED: 'This session was ended on another device or by an administrator.',
      EXPIRED: 'Your session has expired. Sign in again.',
      PASSWORD_CHANGED: 'Your password was changed. Sign in with the new one.',
      DISABLED: 'Your account was disabled. Ask an administrator.',
      DELETED: 'Your account was deleted.',
    },
  },
  zh: {
    title: '登录',
    account: '用户名、邮箱或手机号',
    contact: '邮箱或手机号',
    ways: { password: '密码', code: '验证码' },
    submit: '登录',
    ending: '无法连接服务器，你的会话尚未在服务器上结束。请保持此页面打开，连接恢复后会立即结束。',
    waiting: '无法连接服务器，连接恢复后会自动继续。',
    register: '注册账号',
    forgot: '忘记密码？',
    administrators: '管理员登录',
    start: '我有初始码',
    reasons: {
      LOGOUT: '你已退出登录。',
      REVOKED: '此会话已在其他设备上或被管理员结束。',
      EXPIRED: '会话已过期，请重新登录。',
      PASSWORD_CHANGED: '密码已更改，请用新密码登录。',
      DISABLED: '账号已停用，请联系管理员。',
      DELETED: '账号已注销。',
    },
  },
})

/** Milliseconds between attempts to end or to continue a session while the server cannot be reached. */
const AGAIN = 10_000

/** Whether the session that the user signed out of goes on at the server. Ends it as soon as that is possible. */
function useSigningOut(): boolean {
  const [isEnding, setEnding] = useState(isSigningOut)
  useEffect(() => {
    if (!isEnding) return
    const attempt = () => void finishSignOut().then((isDone) => isDone && setEnding(false))
    attempt()
    const timer = setInterval(attempt, AGAIN)
    window.addEventListener('online', attempt)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', attempt)
    }
  }, [isEnding])
  return isEnding
}

/** Goes on with the session of the cookie. Whether it is not known yet if it lasts, because the server does not answer. */
function useContinuing(target: string): boolean {
  const navigate = useNavigate()
  const [isWaiting, setWaiting] = useState(false)
  useEffect(() => {
    let isGone = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const attempt = async () => {
      clearTimeout(timer)
      const session = await restoreSession().catch(() => undefined)
      if (isGone) return
      if (session !== undefined) return void navigate(target, { replace: true })
      setWaiting(mayBeSignedIn())
      if (mayBeSignedIn()) timer = setTimeout(() => void attempt(), AGAIN)
    }
    const onConnected = () => void attempt()
    void attempt()
    window.addEventListener('online', onConnected)
    return () => {
      isGone = true
      clearTimeout(timer)
      window.removeEventListener('online', onConnected)
    }
  }, [navigate, target])
  return isWaiting
}

const isPhone = (text: string): boolean => /^\+?[\d\s().-]{6,}$/.test(text)

type Way = 'password' | 'code'

export function SignIn() {
  const { search } = useLocation()
  // The address loses the ticket at once. The router goes on with it until the user leaves the page.
  const ticket = new URLSearchParams(search).get('ticket')
  return ticket === null ? <Ways /> : <Ticket ticket={ticket} />
}

function Ways() {
  const t = useTexts(words)
  const navigate = useNavigate()
  const { state, target } = useTarget()
  const isEnding = useSigningOut()
  const reason = hasSignedOut() ? 'LOGOUT' : sessionEndReason()
  const isWaiting = useContinuing(target)
  const onDone = (isSame: boolean) => void navigate(isSame ? target : '/', { replace: true })
  const { form, ways } = useSignIn(
    ({ way, account }) =>
      way === 'password'
        ? isPhone(account)
          ? 'auth.phonePasswordLogin'
          : 'auth.login'
        : isPhone(account)
          ? 'auth.phoneLogin'
          : 'auth.emailLogin',
    { way: 'password' as Way, account: '', password: '', code: '', ...NO_FACTOR },
    {
      paths: { account: ['account', 'email', 'phone'] },
      body: ({ way, account, password, code }) =>
        way === 'password'
          ? isPhone(account)
            ? { phone: account, password }
            : { account, password }
          : isPhone(account)
            ? { phone: account, code }
            : { email: account, code },
      // The page that was open belonged to the user of the session before.
      onDone,
    },
  )
  const { way, account } = form.values
  const { data: others } = useCall('oidc.signInProviders')
  const [isOpen, setOpen] = useState(false)
  const isLocal = others?.localSignIn !== false || isOpen
  return (
    <Frame
      title={t.title}
      form={form}
      action={isLocal ? t.submit : undefined}
      links={
        isLocal ? (
          <>
            {!isOpen && (
              <Link component={RouterLink} to="/register" state={state}>
                {t.register}
              </Link>
            )}
            <Link component={RouterLink} to="/forgot" state={state}>
              {t.forgot}
            </Link>
            <Link component={RouterLink} to="/start">
              {t.start}
            </Link>
          </>
        ) : (
          <Button onClick={() => setOpen(true)}>{t.administrators}</Button>
        )
      }
    >
      {isEnding && <Alert severity="warning">{t.ending}</Alert>}
      {isWaiting && <Alert severity="warning">{t.waiting}</Alert>}
      {reason !== undefined && form.error === null && !isEnding && (
        <Alert severity="info">{t.reasons[reason as keyof typeof t.reasons]}</Alert>
      )}
      {isLocal && ways === undefined && <PasskeySignIn onDone={onDone} />}
      {others !== undefined && others.items.length > 0 && <Providers items={others.items} />}
      {isLocal && (
        <>
          <ToggleField
            value={way}
            onChange={(next) => form.reset({ ...form.values, way: next, password: '', code: '' })}
            choices={t.ways}
          />
          <TextField
            {...form.text('account', { label: way === 'password' ? t.account : t.contact })}
            // `webauthn`: browsers offer passkeys here.
            autoComplete="username webauthn"
            slotProps={{ htmlInput: { autoCapitalize: 'none', spellCheck: false } }}
            required
            autoFocus
          />
          {way === 'password' ? (
            <TextField {...form.text('password')} type="password" autoComplete="current-password" />
          ) : (
            <CodeField
              {...form.pick('code')}
              operation={isPhone(account) ? 'auth.phoneCode' : 'auth.emailCode'}
              recipient={account}
            />
          )}
          {ways && <FactorFields form={form as Form<FactorValues>} ways={ways} />}
        </>
      )}
    </Frame>
  )
}
