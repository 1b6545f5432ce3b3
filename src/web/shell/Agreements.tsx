/** Shows a new version of an agreement after the sign-in, until it is accepted. It does not interrupt the work of administrators. */

import { Button, Dialog, DialogActions, DialogContent, DialogTitle, Typography } from '@mui/material'
import { useLocation } from 'react-router'

import { useAction, useCall } from '../api/hooks.ts'
import { notify } from '../browser/notices.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { signOut, useOptionalSession } from '../session/session.ts'
import { Answer, ErrorNotice } from '../ui/Answer.tsx'
import { Rendered } from '../ui/Rendered.tsx'
import { isAdminPath } from './navigation.ts'

const words = texts({
  en: {
    intro: 'Please read this text. You can use your account when you have accepted it.',
    version: (n: number) => `Version ${n}`,
    accept: 'I accept',
    refuse: 'Sign out',
    done: 'Accepted.',
  },
  zh: {
    intro: '请阅读以下内容，同意后即可使用你的账号。',
    version: (n: number) => `第 ${n} 版`,
    accept: '同意',
    refuse: '退出登录',
    done: '已同意。',
  },
})

export function Agreements() {
  const t = useTexts(words)
  const session = useOptionalSession()
  const isAdmin = isAdminPath(useLocation().pathname)
  const user = useCall('profile.get', undefined, { enabled: session?.isKept === false })
  const first = isAdmin ? undefined : user.data?.pendingAgreements[0]
  const text = useCall(
    'agreements.current',
    { query: { type: first?.type ?? 'SERVICE' } },
    { enabled: first !== undefined },
  )
  const accept = useAction('agreements.accept', { done: t.done, refreshes: ['profile', 'agreements'], quiet: true })
  if (first === undefined) return null
  return (
    <Dialog open fullWidth maxWidth="sm" aria-labelledby="agreement-title">
      <DialogTitle id="agreement-title">{first.title}</DialogTitle>
      <DialogContent dividers tabIndex={0}>
        <Typography color="text.secondary" gutterBottom>
          {t.intro}
        </Typography>
        <Answer query={text}>
          {({ version, contentHtml }) => (
            <>
              <Typography variant="caption" color="text.secondary">
                {t.version(version)}
              </Typography>
              <Rendered html={contentHtml} />
            </>
          )}
        </Answer>
        {accept.error !== null && <ErrorNotice error={accept.error} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={() => void signOut().catch((error: Error) => notify(error.message, 'error'))}>
          {t.refuse}
        </Button>
        <Button
          variant="contained"
          disabled={text.data === undefined}
          loading={accept.isPending}
          onClick={() => accept.mutate({ body: { type: first.type, version: text.data!.version } })}
        >
          {t.accept}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
