/** The invite code of an activity, which managers can copy and replace, and the form that asks visitors for it. */

import { ContentCopy, Lock, Refresh } from '@mui/icons-material'
import { Alert, Button, Card, CardContent, IconButton, Stack, TextField, Tooltip, Typography } from '@mui/material'
import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router'

import type { Activity } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { useCopy } from '../../ui/copy.ts'
import { useRights } from './rights.ts'
import { activityWords } from './words.ts'

const words = texts({
  en: {
    copy: 'Copy invite code',
    reset: 'Replace invite code',
    title: 'Replace the invite code?',
    text: 'The old code and links with it no longer open the activity. People who have registered stay registered.',
    done: 'The invite code is replaced.',
    locked: 'By invitation only',
    lockedText: 'Enter the invite code that you got from the organizer.',
    open: 'Open',
    wrong: 'This is not the invite code. Check it and try again.',
  },
  zh: {
    copy: '复制邀请码',
    reset: '更换邀请码',
    title: '更换邀请码？',
    text: '旧的邀请码及含有它的链接将失效。已报名者不受影响。',
    done: '邀请码已更换。',
    locked: '仅限受邀者',
    lockedText: '请输入主办方给你的邀请码。',
    open: '打开',
    wrong: '邀请码不正确，请核对后重试。',
  },
})

export function InviteCodeFact({ activity, inviteCode }: { activity: Activity; inviteCode: string }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const can = useRights(activity)
  const copy = useCopy()
  const [isAsking, setAsking] = useState(false)
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
      {isAsking && (
        <ActionDialog
          operation="activities.resetInviteCode"
          input={{ params: { id: activity.id } }}
          title={t.title}
          text={t.text}
          action={t.reset}
          done={t.done}
          onClose={() => setAsking(false)}
        />
      )}
    </Stack>
  )
}

/** Asks for the invite code. The server does not remember it, so it becomes a part of the address. */
export function AskInviteCode({ isWrong }: { isWrong: boolean }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const [search, setSearch] = useSearchParams()
  const [code, setCode] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSearch({ ...Object.fromEntries(search), code: code.trim() })
  }
  return (
    <Card variant="outlined">
      <CardContent>
        <Stack component="form" spacing={2} onSubmit={submit}>
          <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
            <Lock color="primary" />
            <Typography variant="h2">{t.locked}</Typography>
          </Stack>
          <Typography color="text.secondary">{t.lockedText}</Typography>
          {isWrong && <Alert severity="error">{t.wrong}</Alert>}
          <TextField
            label={shared.inviteCode}
            value={code}
            onChange={({ target }) => setCode(target.value)}
            required
            autoComplete="off"
            slotProps={{ htmlInput: { autoCapitalize: 'characters' } }}
          />
          <Button type="submit" variant="contained">
            {t.open}
          </Button>
        </Stack>
      </CardContent>
    </Card>
  )
}
