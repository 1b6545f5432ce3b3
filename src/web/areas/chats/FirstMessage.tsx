/** Writes the first message to a user. When it was sent there is a conversation, which is opened. */

import { ArrowBack } from '@mui/icons-material'
import { Box, IconButton, Stack, Typography } from '@mui/material'
import { useEffect, useRef } from 'react'
import { Link, useNavigate } from 'react-router'

import { useRefresh } from '../../api/hooks.ts'
import { useTexts } from '../../i18n/words.ts'
import { Portrait } from '../../ui/Portrait.tsx'
import { Composer } from './Composer.tsx'
import { useDraft } from './drafts.ts'
import { onSent, useOutgoing } from './outbox.ts'
import { OutgoingRow } from './OutgoingRow.tsx'
import { words } from './words.ts'

export function FirstMessage({ userId, name, avatarUrl }: { userId: number; name: string; avatarUrl: string | null }) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const refresh = useRefresh()
  const target = { toUserId: userId }
  const outgoing = useOutgoing(target)
  const draft = useDraft(target, undefined)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(
    () =>
      onSent((messages, to) => {
        const [first] = messages
        if (!('toUserId' in to) || to.toUserId !== userId || first === undefined) return
        void refresh('conversations')
        void navigate(`/chats/${first.conversationId}`, { replace: true })
      }),
    [userId, navigate, refresh],
  )
  return (
    <>
      <Stack
        direction="row"
        spacing={1}
        sx={{ alignItems: 'center', px: 1.5, py: 0.75, borderBottom: 1, borderColor: 'divider', minHeight: 56 }}
      >
        <IconButton component={Link} to="/chats" edge="start" aria-label={t.back} sx={{ display: { md: 'none' } }}>
          <ArrowBack />
        </IconButton>
        <Portrait name={name} url={avatarUrl} size={36} />
        <Typography variant="h2" noWrap>
          {name}
        </Typography>
      </Stack>
      <Box sx={{ flex: 1, overflowY: 'auto', p: 1.5, bgcolor: 'background.default' }}>
        {outgoing.length === 0 && (
          <Typography color="text.secondary" sx={{ textAlign: 'center', py: 6 }}>
            {t.noMessages}
          </Typography>
        )}
        {outgoing.map((each) => (
          <OutgoingRow key={each.clientMsgId} outgoing={each} />
        ))}
      </Box>
      <Composer field={field} target={target} draft={draft} members={[]} replyTo={undefined} nameOf={() => name} />
    </>
  )
}
