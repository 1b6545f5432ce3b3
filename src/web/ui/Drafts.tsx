/** Codes or assets of the workspace that were made without a connection: those that wait, and those that the server did not take. */

import { CloudOff } from '@mui/icons-material'
import { Alert, AlertTitle, Button, Stack, Typography } from '@mui/material'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'

import { useRefresh } from '../api/hooks.ts'
import { usePersistence } from '../browser/persistence.ts'
import { common } from '../i18n/common.ts'
import { texts, useTexts } from '../i18n/words.ts'
import type { DraftEntry, DraftKind } from '../session/drafts.ts'
import { discardRefused, onOutbox, readEntries } from '../session/outbox.ts'
import { useSession } from '../session/session.ts'
import { waitingWords } from './waiting-words.ts'

const words = texts({
  en: {
    ...common.en,
    waiting: (n: number) => (n === 1 ? '1 waits to be sent' : `${n} wait to be sent`),
    text: 'Kept on this device, and sent as soon as there is a connection.',
    refused: (name: string) => `The server did not take “${name}”`,
    discard: 'Discard',
  },
  zh: {
    ...common.zh,
    waiting: (n: number) => `${n} 项待上传`,
    text: '已保存在本机，恢复网络后自动上传。',
    refused: (name: string) => `服务器未接受“${name}”`,
    discard: '丢弃',
  },
})

export interface DraftsProps<Values> {
  kind: DraftKind
  /** First word of the operations whose answers change when one was sent. */
  refreshes: string
  /** Of the form. */
  path: string
  nameOf: (values: Values) => string
  picture?: (values: Values) => ReactNode
}

export function Drafts<Values>({ kind, refreshes, path, nameOf, picture }: DraftsProps<Values>) {
  const t = useTexts(words)
  const shared = useTexts(waitingWords)
  const isPersistent = usePersistence()
  const { user, workspace } = useSession()
  const [entries, setEntries] = useState<readonly DraftEntry<Values>[]>([])
  const refresh = useRefresh()
  const latest = useRef(refresh)
  useEffect(() => {
    latest.current = refresh
  })
  const subject = workspace?.id ?? 0
  useEffect(() => {
    let isGone = false
    let before = 0
    const read = async () => {
      const next: readonly DraftEntry<Values>[] = await readEntries<DraftEntry<Values>['body']>(
        user.id,
        kind,
        subject,
      ).catch(() => [])
      if (isGone) return
      setEntries(next)
      const waiting = next.filter(({ refusal }) => refusal === undefined).length
      if (waiting < before) void latest.current(refreshes)
      before = waiting
    }
    void read()
    const stop = onOutbox(() => void read())
    return () => {
      isGone = true
      stop()
    }
  }, [user.id, kind, subject, refreshes])

  const waiting = entries.filter(({ refusal }) => refusal === undefined)
  const row = ({ id, body: { values } }: DraftEntry<Values>) => (
    <Stack key={id} direction="row" spacing={1} sx={{ alignItems: 'center', mt: 0.5 }}>
      {picture?.(values)}
      <Typography variant="body2" sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        {nameOf(values)}
      </Typography>
    </Stack>
  )
  return (
    <Stack spacing={1} aria-live="polite" sx={{ mb: entries.length > 0 ? 2 : 0 }}>
      {waiting.length > 0 && (
        <Alert severity="info" icon={<CloudOff />}>
          <AlertTitle>{t.waiting(waiting.length)}</AlertTitle>
          {t.text} {isPersistent === false && shared.mayGo}
          {waiting.map(row)}
        </Alert>
      )}
      {entries
        .filter(({ refusal }) => refusal !== undefined)
        .map((entry) => (
          <Alert key={entry.id} severity="error" sx={{ overflowWrap: 'anywhere' }}>
            <AlertTitle>{t.refused(nameOf(entry.body.values))}</AlertTitle>
            {entry.refusal}
            <Stack direction="row" sx={{ mx: -1 }}>
              <Button color="inherit" component={Link} to={path} state={{ draft: entry }}>
                {t.edit}
              </Button>
              <Button color="inherit" onClick={() => void discardRefused(user.id, kind, subject, entry.id)}>
                {t.discard}
              </Button>
            </Stack>
          </Alert>
        ))}
    </Stack>
  )
}
