/** A field for a verification code, with the button that sends one. The button waits until the server would send another. */

import { Button, InputAdornment, TextField } from '@mui/material'
import { useEffect, useState } from 'react'

import { callWith } from '../api/client.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { ErrorNotice } from './Answer.tsx'

const words = texts({
  en: {
    code: 'Code',
    send: 'Send code',
    sent: (to: string) => `Sent to ${to}. It is valid for 5 minutes.`,
    wait: (n: number) => `${n} s`,
  },
  zh: {
    code: '验证码',
    send: '发送验证码',
    sent: (to: string) => `已发送至 ${to}，5 分钟内有效。`,
    wait: (n: number) => `${n} 秒`,
  },
})

/** Seconds until the server sends another code (spec 8). */
const PAUSE = 60

/** The operations that send a code, and the name of the recipient in their bodies. */
const RECIPIENT = {
  'auth.phoneCode': 'phone',
  'auth.emailCode': 'email',
  'auth.forgotCode': 'credential',
  'auth.phoneBindCode': 'phone',
  'auth.emailBindCode': 'email',
  'auth.changeCode': 'channel',
  'auth.phoneLinkCode': 'phone',
  'auth.emailLinkCode': 'email',
} as const

export interface CodeFieldProps {
  operation: keyof typeof RECIPIENT
  /** Phone or e-mail; for `auth.changeCode` the channel, `PHONE` or `EMAIL`. */
  recipient: string
  /** How the recipient is shown; by default as it is. */
  recipientName?: string
  value: string
  onChange: (value: string) => void
}

export function CodeField({ operation, recipient, recipientName = recipient, value, onChange }: CodeFieldProps) {
  const t = useTexts(words)
  const [sentTo, setSentTo] = useState<string>()
  const [left, setLeft] = useState(0)
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    if (left === 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  const send = async () => {
    setError(undefined)
    try {
      await callWith(operation, { body: { [RECIPIENT[operation]]: recipient } }, {})
      setSentTo(recipientName)
      setLeft(PAUSE)
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <>
      <TextField
        label={t.code}
        value={value}
        onChange={(event) => onChange(event.target.value.trim())}
        helperText={sentTo !== undefined && t.sent(sentTo)}
        autoComplete="one-time-code"
        required
        slotProps={{
          htmlInput: { inputMode: 'numeric', maxLength: 6 },
          input: {
            endAdornment: (
              <InputAdornment position="end">
                <Button size="small" disabled={recipient.trim() === '' || left > 0} onClick={() => void send()}>
                  {left > 0 ? t.wait(left) : t.send}
                </Button>
              </InputAdornment>
            ),
          },
        }}
      />
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  )
}
