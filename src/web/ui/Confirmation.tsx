/**
 * Asks for the password or a code when the server wants a proof of the user (code 4031), and then the refused call is repeated. The
 * server remembers the proof for ten minutes.
 */

import { TextField, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material'
import { useEffect, useState } from 'react'

import { callWith, setConfirmer } from '../api/client.ts'
import { ApiError, NEEDS_CONFIRMATION } from '../api/errors.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { CodeField } from './CodeField.tsx'
import { FormDialog } from './dialogs.tsx'

const words = texts({
  en: {
    title: 'Confirm that it is you',
    text: 'This change needs a proof that you own the account. It counts for ten minutes.',
    signIn:
      'This account has no password, phone or e-mail to confirm with. Sign out and sign in again, then repeat the change.',
    ways: { PASSWORD: 'Password', PHONE_CODE: 'Code by SMS', EMAIL_CODE: 'Code by e-mail' },
    password: 'Password',
    phone: 'your phone',
    email: 'your e-mail address',
    action: 'Confirm',
    cancelled: 'You did not confirm, so nothing was changed.',
  },
  zh: {
    title: '请确认是你本人',
    text: '此更改需要确认你是账号的所有者，确认后十分钟内有效。',
    signIn: '此账号没有密码、手机号或邮箱可供确认。请退出并重新登录后再试。',
    ways: { PASSWORD: '密码', PHONE_CODE: '短信验证码', EMAIL_CODE: '邮箱验证码' },
    password: '密码',
    phone: '你的手机',
    email: '你的邮箱',
    action: '确认',
    cancelled: '你未确认，未做任何更改。',
  },
})

type Way = 'PASSWORD' | 'PHONE_CODE' | 'EMAIL_CODE'
const WAYS: readonly Way[] = ['PASSWORD', 'PHONE_CODE', 'EMAIL_CODE']

interface Question {
  readonly ways: readonly Way[]
  readonly done: () => void
  readonly cancel: () => void
}

export function Confirmation() {
  const t = useTexts(words)
  const [question, setQuestion] = useState<Question>()
  const [chosen, setChosen] = useState<Way>()
  const [secret, setSecret] = useState('')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    setConfirmer(
      (refusal) =>
        new Promise((done, reject) => {
          setSecret('')
          setError(undefined)
          setQuestion({
            ways: WAYS.filter((way) => refusal.details.some(({ path }) => path === way)),
            done,
            cancel: () => reject(new ApiError(403, NEEDS_CONFIRMATION, t.cancelled)),
          })
        }),
    )
    return () => setConfirmer(undefined)
  }, [t])
  if (question === undefined) return null
  const way = chosen !== undefined && question.ways.includes(chosen) ? chosen : question.ways[0]
  const close = () => {
    setQuestion(undefined)
    question.cancel()
  }
  const submit = async () => {
    if (way === undefined) return close()
    setBusy(true)
    setError(undefined)
    try {
      const proof = way === 'PASSWORD' ? { password: secret } : { code: secret }
      await callWith('auth.confirm', { body: { verifyType: way, ...proof } }, {})
      setQuestion(undefined)
      question.done()
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  const choose = (next: Way | null) => {
    if (next === null) return
    setChosen(next)
    setSecret('')
    setError(undefined)
  }
  return (
    <FormDialog
      isOpen
      title={t.title}
      action={t.action}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void submit()}
      onClose={close}
      maxWidth="xs"
    >
      <Typography color="text.secondary">{way === undefined ? t.signIn : t.text}</Typography>
      {question.ways.length > 1 && (
        <ToggleButtonGroup exclusive fullWidth size="small" value={way} onChange={(_, next) => choose(next)}>
          {question.ways.map((each) => (
            <ToggleButton key={each} value={each}>
              {t.ways[each]}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      )}
      {way === 'PASSWORD' && (
        <TextField
          label={t.password}
          type="password"
          value={secret}
          onChange={(event) => setSecret(event.target.value)}
          autoComplete="current-password"
          required
          autoFocus
        />
      )}
      {(way === 'PHONE_CODE' || way === 'EMAIL_CODE') && (
        <CodeField
          key={way}
          operation="auth.changeCode"
          recipient={way === 'PHONE_CODE' ? 'PHONE' : 'EMAIL'}
          recipientName={way === 'PHONE_CODE' ? t.phone : t.email}
          value={secret}
          onChange={setSecret}
        />
      )}
    </FormDialog>
  )
}
