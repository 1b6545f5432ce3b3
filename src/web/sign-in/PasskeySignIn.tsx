/** Sign-in with a passkey: by a button, and by the field for the name, in which browsers offer passkeys. */

import { Key } from '@mui/icons-material'
import { Button } from '@mui/material'
import { useEffect, useEffectEvent, useRef, useState } from 'react'

import { texts, useTexts } from '../i18n/words.ts'
import { askPasskey, canOfferInField, canUsePasskeys, type PasskeyAnswer, wasDismissed } from '../session/passkeys.ts'
import { lastUser } from '../session/session.ts'
import { signInWith } from '../session/sign-in.ts'
import { ErrorNotice } from '../ui/Answer.tsx'

const words = texts({
  en: { label: 'Sign in with a passkey' },
  zh: { label: '使用通行密钥登录' },
})

interface Props {
  /** `isSame`: no other user was signed in here before. */
  onDone: (isSame: boolean) => void
}

export default function PasskeySignIn({ onDone }: Props) {
  const t = useTexts(words)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const offer = useRef<AbortController>(undefined)

  async function signIn(passkey: PasskeyAnswer) {
    setBusy(true)
    setError(null)
    try {
      const before = lastUser()
      const { user } = await signInWith('auth.passkeyLogin', passkey)
      onDone(before === undefined || before === user.id)
    } catch (problem) {
      setError(problem as Error)
    }
    setBusy(false)
  }

  const offerInField = useEffectEvent(async (controller: AbortController) => {
    // A server without passkeys, or without a network: then nothing is offered.
    const chosen = await askPasskey({ isAlone: true, inField: controller.signal }).catch(() => undefined)
    if (chosen !== undefined) await signIn(chosen)
  })
  useEffect(() => {
    const controller = new AbortController()
    offer.current = controller
    void canOfferInField().then((can) => (can && !controller.signal.aborted ? offerInField(controller) : undefined))
    return () => controller.abort()
  }, [])

  if (!canUsePasskeys()) return null
  const ask = async () => {
    // A browser has one question at a time.
    offer.current?.abort()
    setBusy(true)
    setError(null)
    try {
      await signIn(await askPasskey({ isAlone: true }))
    } catch (problem) {
      setBusy(false)
      if (!wasDismissed(problem)) setError(problem as Error)
    }
  }
  return (
    <>
      <Button variant="outlined" size="large" startIcon={<Key />} loading={isBusy} onClick={() => void ask()}>
        {t.label}
      </Button>
      {error !== null && <ErrorNotice error={error} />}
    </>
  )
}
