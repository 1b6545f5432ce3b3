/** A field for a verification code, with the button that sends one. The button waits until the server would send another. */

import { Button, InputAdornment, TextField } from '@mui/material'
import { useEffect, useState } from 'react'

import { useAction } from '../api/hooks.ts'
import type { InputOf } from '../api/types.ts'
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
  /** The problem with the code. */
  error?: string | undefined
}

export function CodeField({ operation, recipient, recipientName = recipient, value, onChange, error }: CodeFieldProps) {
  const t = useTexts(words)
  const [sent, setSent] = useState<{ to: string; left: number }>()
  const left = sent?.left ?? 0
  const send = useAction(operation, {
    refreshes: [],
    quiet: true,
    onDone: () => setSent({ to: recipientName, left: PAUSE }),
  })
  useEffect(() => {
    if (left === 0) return
    const timer = setTimeout(() => setSent((before) => before && { ...before, left: left - 1 }), 1000)
    return () => clearTimeout(timer)
  }, [left])
  return (
    <>
      <TextField
        label={t.code}
        value={value}
        // Some mails and apps show it in groups.
        onChange={(event) => onChange(event.target.value.replaceAll(/\s/g, ''))}
        error={error !== undefined}
        helperText={error ?? (sent && t.sent(sent.to))}
        autoComplete="one-time-code"
        required
        slotProps={{
          htmlInput: { inputMode: 'numeric' },
          input: {
            endAdornment: (
              <InputAdornment position="end">
                <Button
                  size="small"
                  disabled={recipient.trim() === '' || left > 0}
                  loading={send.isPending}
                  onClick={() =>
                    send.mutate({ body: { [RECIPIENT[operation]]: recipient } } as InputOf<typeof operation>)
                  }
                >
                  {left > 0 ? t.wait(left) : t.send}
                </Button>
              </InputAdornment>
            ),
          },
        }}
      />
      {send.error !== null && <ErrorNotice error={send.error} />}
    </>
  )
}
