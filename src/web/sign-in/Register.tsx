/** Registration with a username or an e-mail address. */

import { Button, Link, TextField } from '@mui/material'
import { useEffect, useState } from 'react'
import { Link as RouterLink, useNavigate } from 'react-router'

import { ApiError } from '../api/errors.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { signInWith } from '../session/sign-in.ts'
import { ErrorNotice } from '../ui/Answer.tsx'
import { Frame } from './Frame.tsx'
import { useTarget } from './target.ts'

const words = texts({
  en: {
    title: 'Create an account',
    account: 'Username or e-mail',
    hint: 'A username has 3 to 32 letters, digits, dots, dashes or underscores, and begins with a letter.',
    password: 'Password',
    nickname: 'Name that others see',
    submit: 'Create account',
    signIn: 'I have an account',
  },
  zh: {
    title: '注册账号',
    account: '用户名或邮箱',
    hint: '用户名由 3 至 32 个字母、数字、点、短横线或下划线组成，以字母开头。',
    password: '密码',
    nickname: '昵称',
    submit: '注册',
    signIn: '已有账号',
  },
})

export function Register() {
  const t = useTexts(words)
  const navigate = useNavigate()
  const { state, target } = useTarget()
  const [account, setAccount] = useState('')
  const [password, setPassword] = useState('')
  const [nickname, setNickname] = useState('')
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const submit = async () => {
    setBusy(true)
    setError(undefined)
    const others = { password, ...(nickname.trim() !== '' && { nickname }) }
    try {
      await signInWith(
        'auth.register',
        account.includes('@') ? { email: account, ...others } : { username: account, ...others },
      )
      await navigate(target, { replace: true })
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  const accountProblem = error?.problem('username') ?? error?.problem('email')
  const isAtField = ['username', 'email', 'password', 'nickname'].some((field) => error?.problem(field) !== undefined)
  useEffect(() => {
    // Screen readers say the problem with the field.
    if (isAtField) document.querySelector<HTMLElement>('input[aria-invalid=true]')?.focus()
  }, [error, isAtField])
  return (
    <Frame
      title={t.title}
      onSubmit={() => void submit()}
      links={
        <Link component={RouterLink} to="/login" state={state}>
          {t.signIn}
        </Link>
      }
    >
      <TextField
        label={t.account}
        error={accountProblem !== undefined}
        helperText={accountProblem ?? t.hint}
        value={account}
        onChange={(event) => setAccount(event.target.value)}
        autoComplete="username"
        slotProps={{ htmlInput: { autoCapitalize: 'none', spellCheck: false } }}
        required
        autoFocus
      />
      <TextField
        label={t.password}
        type="password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        autoComplete="new-password"
        error={error?.problem('password') !== undefined}
        helperText={error?.problem('password')}
        required
      />
      <TextField
        label={t.nickname}
        value={nickname}
        onChange={(event) => setNickname(event.target.value)}
        autoComplete="nickname"
        error={error?.problem('nickname') !== undefined}
        helperText={error?.problem('nickname')}
      />
      {error !== undefined && !isAtField && <ErrorNotice error={error} />}
      <Button type="submit" variant="contained" size="large" loading={isBusy}>
        {t.submit}
      </Button>
    </Frame>
  )
}
