/** The second factor of a sign-in, by the ways that the user has. Loaded for users who have one. */

import { Key } from '@mui/icons-material'
import { Button, TextField } from '@mui/material'
import { useState } from 'react'

import { notify } from '../browser/notices.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { askPasskey, canUsePasskeys, wasDismissed } from '../session/passkeys.ts'
import { CheckField } from '../ui/fields.tsx'
import type { Form } from '../ui/use-form.tsx'
import type { FactorValues } from './use-sign-in.ts'

const words = texts({
  en: {
    totp: 'Code from your authenticator app',
    totpHint: 'Six digits, or one of your recovery codes',
    recovery: 'Recovery code',
    passkey: 'Use a passkey',
    trust: 'Trust this device for 30 days',
  },
  zh: {
    totp: '身份验证器中的验证码',
    totpHint: '六位数字，或一个恢复码',
    recovery: '恢复码',
    passkey: '使用通行密钥',
    trust: '信任此设备 30 天',
  },
})

interface Props {
  form: Form<FactorValues>
  /** `TOTP`, `RECOVERY_CODE`, `PASSKEY`: as the server names them. */
  ways: readonly string[]
}

export default function FactorFields({ form, ways }: Props) {
  const t = useTexts(words)
  const [isAsking, setAsking] = useState(false)
  const hasApp = ways.includes('TOTP')
  const hasPasskey = ways.includes('PASSKEY') && canUsePasskeys()
  const ask = async () => {
    setAsking(true)
    try {
      form.submit(undefined, { totp: '', passkey: await askPasskey() })
    } catch (problem) {
      if (!wasDismissed(problem)) notify((problem as Error).message, 'error')
    } finally {
      setAsking(false)
    }
  }
  return (
    <>
      {hasPasskey && (
        <Button
          variant="outlined"
          startIcon={<Key />}
          loading={isAsking}
          onClick={() => void ask()}
          autoFocus={!hasApp}
        >
          {t.passkey}
        </Button>
      )}
      <TextField
        {...form.text('totp', { label: hasApp ? t.totp : t.recovery, ...(hasApp && { help: t.totpHint }) })}
        autoComplete="one-time-code"
        required
        autoFocus={hasApp || !hasPasskey}
      />
      <CheckField {...form.check('trustDevice', { label: t.trust })} isBox />
    </>
  )
}
