/** The invite code of an activity, which managers can copy and replace. */

import { ContentCopy, Refresh } from '@mui/icons-material'
import { IconButton, Stack, Tooltip, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import type { Activity } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useCopy } from '../../ui/copy.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { useRights } from './rights.ts'
import { activityWords } from './words.ts'

const words = texts({
  en: {
    copy: 'Copy invite code',
    reset: 'Replace invite code',
    title: 'Replace the invite code?',
    text: 'The old code and links with it no longer open the activity. People who have registered stay registered.',
    done: 'The invite code is replaced.',
  },
  zh: {
    copy: '复制邀请码',
    reset: '更换邀请码',
    title: '更换邀请码？',
    text: '旧的邀请码及含有它的链接将失效。已报名者不受影响。',
    done: '邀请码已更换。',
  },
})

export function InviteCodeFact({ activity, inviteCode }: { activity: Activity; inviteCode: string }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const can = useRights(activity)
  const copy = useCopy()
  const [isAsking, setAsking] = useState(false)
  const reset = useAction('activities.resetInviteCode', {
    done: t.done,
    quiet: true,
    onDone: () => setAsking(false),
  })
  return (
    <Stack direction="row" useFlexGap spacing={0.5} sx={{ alignItems: 'center', flexWrap: 'wrap', mt: -1 }}>
      <span>{shared.inviteCode}</span>
      <Typography component="code" sx={{ fontFamily: 'monospace', fontSize: '1.05rem', px: 0.5 }}>
        {inviteCode}
      </Typography>
      <Tooltip title={t.copy}>
        <IconButton aria-label={t.copy} onClick={() => copy(inviteCode)}>
          <ContentCopy fontSize="small" />
        </IconButton>
      </Tooltip>
      {can('activities.resetInviteCode') && (
        <Tooltip title={t.reset}>
          <IconButton aria-label={t.reset} onClick={() => setAsking(true)}>
            <Refresh fontSize="small" />
          </IconButton>
        </Tooltip>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title={t.title}
        text={t.text}
        action={t.reset}
        isBusy={reset.isPending}
        error={reset.error}
        onConfirm={() => reset.mutate({ params: { id: activity.id } })}
        onClose={() => setAsking(false)}
      />
    </Stack>
  )
}
