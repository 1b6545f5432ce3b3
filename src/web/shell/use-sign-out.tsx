/** Signing out from the menu and from the command palette. */

import { Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'

import { notify } from '../browser/notices.ts'
import { leave } from '../browser/unsaved.ts'
import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { signOut } from '../session/session.ts'
import { ConfirmDialog } from '../ui/dialogs.tsx'
import { sendUnsent } from './unsent.ts'

const words = texts({
  en: { signOut: 'Sign out', stillSignedIn: 'You are still signed in.', title: 'Sign out?' },
  zh: { signOut: '退出登录', stillSignedIn: '你仍处于登录状态。', title: '退出登录？' },
})

/** Asks only if a form was not saved, or something was not sent that this browser alone has. `dialog` is the second question. */
export function useSignOut(): { ask: () => void; dialog: ReactNode } {
  const t = useTexts(words)
  const locale = useLocale()
  const [unsent, setUnsent] = useState<string[]>()
  const end = async () => {
    setUnsent(undefined)
    try {
      await signOut()
    } catch (error) {
      const message = error instanceof Error ? error.message : ''
      notify(`${t.stillSignedIn} ${message}`, 'error')
    }
  }
  const ask = async () => {
    const left = await sendUnsent()
    if (left.length === 0) await end()
    else setUnsent(left.map((notice) => notice[locale]))
  }
  const dialog = (
    <ConfirmDialog
      isOpen={unsent !== undefined}
      title={t.title}
      text={unsent?.map((text) => (
        <Typography key={text}>{text}</Typography>
      ))}
      action={t.signOut}
      onConfirm={() => void end()}
      onClose={() => setUnsent(undefined)}
    />
  )
  return { ask: () => leave(() => void ask()), dialog }
}
