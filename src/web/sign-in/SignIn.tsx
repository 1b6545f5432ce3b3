/** Sign-in with a password or with a code by mail or SMS, and with the second factor of those who have one. */

import { Alert, Button, Link, TextField, ToggleButton, ToggleButtonGroup } from '@mui/material'
import { useEffect, useState } from 'react'
import { Link as RouterLink, useNavigate } from 'react-router'

import { ApiError, NEEDS_TOTP } from '../api/errors.ts'
import { finishSignOut, isSigningOut, mayBeSignedIn } from '../api/tokens.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { sessionEndReason } from '../session/live.ts'
import { hasSignedOut, lastUser, restoreSession } from '../session/session.ts'
import { signInWith } from '../session/sign-in.ts'
import { ErrorNotice } from '../ui/Answer.tsx'
import { CodeField } from '../ui/CodeField.tsx'
import { Frame } from './Frame.tsx'
import { useTarget } from './target.ts'

const words = texts({
  en: {
    title: 'Sign in',
    account: 'Username, e-mail or phone',
    contact: 'E-mail or phone',
    password: 'Password',
    byPassword: 'Password',
    byCode: 'Code',
    totp: 'Code of your authenticator app',
    totpHint: 'Six digits, or one of your recovery codes',
    submit: 'Sign in',
    ending:
      'The server cannot be reached, so your session has not ended there yet. Leave this page open: it ends as soon as the server answers.',
    waiting: 'The server cannot be reached. You go on as soon as it answers.',
    register: 'Create an account',
    forgot: 'Forgot your password?',
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
    password: '密码',
    byPassword: '密码',
    byCode: '验证码',
    totp: '身份验证器中的验证码',
    totpHint: '六位数字，或一个恢复码',
    submit: '登录',
    ending: '无法连接服务器，你的会话尚未在服务器上结束。请保持此页面打开，连接恢复后会立即结束。',
    waiting: '无法连接服务器，连接恢复后会自动继续。',
    register: '注册账号',
    forgot: '忘记密码？',
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

export function SignIn() {
  const t = useTexts(words)
  const navigate = useNavigate()
  const { state, target } = useTarget()
  const [method, setMethod] = useState<'password' | 'code'>('password')
  const [account, setAccount] = useState('')
  const [secret, setSecret] = useState('')
  const [totp, setTotp] = useState<string>()
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const isEnding = useSigningOut()
  const reason = hasSignedOut() ? 'LOGOUT' : sessionEndReason()
  const isWaiting = useContinuing(target)

  const attempt = () => {
    const second = totp === undefined ? {} : { totp: totp.replaceAll(/\s/g, '') }
    const phone = isPhone(account)
    if (method === 'password')
      return phone
        ? signInWith('auth.phonePasswordLogin', { phone: account, password: secret, ...second })
        : signInWith('auth.login', { account, password: secret, ...second })
    return phone
      ? signInWith('auth.phoneLogin', { phone: account, code: secret, ...second })
      : signInWith('auth.emailLogin', { email: account, code: secret, ...second })
  }
  const submit = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const before = lastUser()
      const { user } = await attempt()
      // The page that was open belonged to the user of the session before.
      await navigate(before === undefined || before === user.id ? target : '/', { replace: true })
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem
      if (problem.code === NEEDS_TOTP && totp === undefined) setTotp('')
      else setError(problem)
    } finally {
      setBusy(false)
    }
  }
  const choose = (chosen: 'password' | 'code' | null) => {
    if (chosen === null) return
    setMethod(chosen)
    setSecret('')
    setError(undefined)
  }
  return (
    <Frame
      title={t.title}
      onSubmit={() => void submit()}
      links={
        <>
          <Link component={RouterLink} to="/register" state={state}>
            {t.register}
          </Link>
          <Link component={RouterLink} to="/forgot" state={state}>
            {t.forgot}
          </Link>
        </>
      }
    >
      {isEnding && <Alert severity="warning">{t.ending}</Alert>}
      {isWaiting && <Alert severity="warning">{t.waiting}</Alert>}
      {reason !== undefined && error === undefined && !isEnding && (
        <Alert severity="info">{t.reasons[reason as keyof typeof t.reasons]}</Alert>
      )}
      <ToggleButtonGroup exclusive fullWidth size="small" value={method} onChange={(_, chosen) => choose(chosen)}>
        <ToggleButton value="password">{t.byPassword}</ToggleButton>
        <ToggleButton value="code">{t.byCode}</ToggleButton>
      </ToggleButtonGroup>
      <TextField
        label={method === 'password' ? t.account : t.contact}
        value={account}
        onChange={(event) => setAccount(event.target.value)}
        autoComplete="username"
        slotProps={{ htmlInput: { autoCapitalize: 'none', spellCheck: false } }}
        required
        autoFocus
      />
      {method === 'password' ? (
        <TextField
          label={t.password}
          type="password"
          value={secret}
          onChange={(event) => setSecret(event.target.value)}
          autoComplete="current-password"
          required
        />
      ) : (
        <CodeField
          operation={isPhone(account) ? 'auth.phoneCode' : 'auth.emailCode'}
          recipient={account}
          value={secret}
          onChange={setSecret}
        />
      )}
      {totp !== undefined && (
        <TextField
          label={t.totp}
          helperText={t.totpHint}
          value={totp}
          onChange={(event) => setTotp(event.target.value)}
          autoComplete="one-time-code"
          required
          autoFocus
        />
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      <Button type="submit" variant="contained" size="large" loading={isBusy}>
        {t.submit}
      </Button>
    </Frame>
  )
}
