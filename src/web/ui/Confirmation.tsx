/**
 * Asks for the password or a code when the server wants a proof of the user (code 4031), and then the refused call is repeated. The
 * server remembers the proof for ten minutes.
 */

import { TextField, Typography } from '@mui/material'
import { useEffect, useState } from 'react'

import { call, setConfirmer } from '../api/client.ts'
import { ApiError, NEEDS_CONFIRMATION } from '../api/errors.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { CodeField } from './CodeField.tsx'
import { FormDialog } from './dialogs.tsx'
import { ToggleField } from './fields.tsx'
import { useForm } from './use-form.tsx'

const words = texts({
  en: {
    title: 'Confirm that it is you',
    text: 'This change needs a proof that you own the account. It counts for ten minutes.',
    signIn:
      'This account has no password, phone or e-mail to confirm with. Sign out and sign in again, then repeat the change.',
    ways: { PASSWORD: 'Password', PHONE_CODE: 'Code by SMS', EMAIL_CODE: 'Code by e-mail', PASSKEY: 'Passkey' },
    phone: 'your phone',
    email: 'your e-mail address',
    action: 'Confirm',
    cancelled: 'You did not confirm, so nothing was changed.',
  },
  zh: {
    title: '请确认是你本人',
    text: '此更改需要确认你是账号的所有者，确认后十分钟内有效。',
    signIn: '此账号没有密码、手机号或邮箱可供确认。请退出并重新登录后再试。',
    ways: { PASSWORD: '密码', PHONE_CODE: '短信验证码', EMAIL_CODE: '邮箱验证码', PASSKEY: '通行密钥' },
    phone: '你的手机',
    email: '你的邮箱',
    action: '确认',
    cancelled: '你未确认，未做任何更改。',
  },
})

type Way = 'PASSWORD' | 'PHONE_CODE' | 'EMAIL_CODE' | 'PASSKEY'
const WAYS: readonly Way[] = [
  'PASSWORD',
  'PHONE_CODE',
  'EMAIL_CODE',
  ...('PublicKeyCredential' in window ? (['PASSKEY'] as const) : []),
]

interface Question {
  readonly ways: readonly Way[]
  readonly done: () => void
  readonly cancel: () => void
}

export function Confirmation() {
  const t = useTexts(words)
  const [question, setQuestion] = useState<Question>()
  useEffect(() => {
    setConfirmer(
      (refusal) =>
        new Promise((done, reject) => {
          setQuestion({
            ways: WAYS.filter((way) => refusal.details.some(({ path }) => path === way)),
            done,
            cancel: () => reject(new ApiError(403, NEEDS_CONFIRMATION, t.cancelled)),
          })
        }),
    )
    return () => setConfirmer(undefined)
  }, [t])
  return question && <Ask question={question} onEnd={() => setQuestion(undefined)} />
}

function Ask({ question: { ways, done, cancel }, onEnd }: { question: Question; onEnd: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'auth.confirm',
    { verifyType: ways[0] ?? ('PASSWORD' as Way), password: '', code: '' },
    {
      input: ({ verifyType, password, code }) => ({
        body: { verifyType, ...(verifyType === 'PASSWORD' ? { password } : verifyType !== 'PASSKEY' && { code }) },
      }),
      async send({ body }) {
        if (body.verifyType !== 'PASSKEY') return call('auth.confirm', { body })
        const { askPasskey } = await import('../session/passkeys.ts')
        // The user sees the question of the browser end, so its error says only that nothing was confirmed.
        const passkey = await askPasskey().catch((error: unknown) => {
          throw error instanceof DOMException ? new ApiError(403, NEEDS_CONFIRMATION, t.cancelled) : error
        })
        return call('auth.confirm', { body: { verifyType: 'PASSKEY', passkey } })
      },
      refreshes: [],
      onDone() {
        onEnd()
        done()
      },
    },
  )
  const way = ways.length === 0 ? undefined : form.values.verifyType
  const close = () => {
    onEnd()
    cancel()
  }
  return (
    <FormDialog
      form={way === undefined ? { ...form, submit: close } : form}
      title={t.title}
      action={t.action}
      onClose={close}
      maxWidth="xs"
    >
      <Typography color="text.secondary">{way === undefined ? t.signIn : t.text}</Typography>
      {way !== undefined && ways.length > 1 && (
        <ToggleField
          value={way}
          onChange={(next) => form.reset({ verifyType: next, password: '', code: '' })}
          choices={Object.fromEntries(ways.map((each) => [each, t.ways[each]]))}
        />
      )}
      {way === 'PASSWORD' && (
        <TextField {...form.text('password')} type="password" autoComplete="current-password" required autoFocus />
      )}
      {(way === 'PHONE_CODE' || way === 'EMAIL_CODE') && (
        <CodeField
          {...form.pick('code')}
          key={way}
          operation="auth.changeCode"
          recipient={way === 'PHONE_CODE' ? 'PHONE' : 'EMAIL'}
          recipientName={way === 'PHONE_CODE' ? t.phone : t.email}
        />
      )}
    </FormDialog>
  )
}
