/** Conversations: on phones a list and a page for each, on wider screens both side by side. */

import { ArrowBack, Chat } from '@mui/icons-material'
import { Box, IconButton, Stack, Typography } from '@mui/material'
import { useEffect } from 'react'
import { Link, useNavigate, useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { useAll } from '../../api/pages.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useLive } from '../../session/live.ts'
import { EmptyState, ErrorNotice, Loading } from '../../ui/Answer.tsx'
import { useTitle } from '../../ui/title.ts'
import { useIsNarrow } from '../../ui/use-is-phone.ts'
import { Conversation } from './Conversation.tsx'
import { ConversationList } from './ConversationList.tsx'
import { saveDrafts } from './drafts.ts'
import { FirstMessage } from './FirstMessage.tsx'
import { words } from './words.ts'

export default function Chats() {
  const t = useTexts(words)
  useTitle(t.title)
  const { id, userId } = useParams()
  const isPhone = useIsNarrow()
  const isOpen = id !== undefined || userId !== undefined
  // Drafts that were written without a connection, or before the last page ended.
  useLive('hello', saveDrafts)
  return (
    // Fills the window between the bar at the top and, on phones, the navigation at the bottom.
    <Box
      sx={{
        display: 'flex',
        bgcolor: 'background.paper',
        m: { xs: -1.5, sm: -3 },
        mb: { xs: -12, sm: -4 },
        height: {
          xs: 'calc(100dvh - 48px - 57px - env(safe-area-inset-bottom))',
          sm: 'calc(100dvh - 48px)',
        },
        overflow: 'hidden',
      }}
    >
      {(!isPhone || !isOpen) && (
        <Box
          sx={{
            width: { xs: '100%', md: 340 },
            flexShrink: 0,
            borderRight: { md: 1 },
            borderColor: { md: 'divider' },
            minHeight: 0,
            display: 'flex',
            flexDirection: 'column',
          }}
        >
          <ConversationList openId={id === undefined ? undefined : Number(id)} />
        </Box>
      )}
      {(!isPhone || isOpen) && (
        <Box sx={{ flex: 1, minWidth: 0, minHeight: 0, display: 'flex', flexDirection: 'column' }}>
          {id !== undefined && <Opened key={id} id={Number(id)} isPhone={isPhone} />}
          {userId !== undefined && <WithUser key={`with ${userId}`} userId={Number(userId)} />}
          {!isOpen && <EmptyState icon={Chat} title={t.choose} text={t.chooseText} />}
        </Box>
      )}
    </Box>
  )
}

function Opened({ id, isPhone }: { id: number; isPhone: boolean }) {
  const t = useTexts(words)
  const { data, error, refetch } = useCall('conversations.get', { params: { id } })
  if (data !== undefined) return <Conversation conversation={data} isPhone={isPhone} />
  return (
    <Box sx={{ p: 2 }}>
      {error === null ? (
        <Loading />
      ) : (
        <>
          <Stack direction="row" sx={{ alignItems: 'center', mb: 1 }}>
            {isPhone && (
              <IconButton component={Link} to="/chats" edge="start" aria-label={t.back}>
                <ArrowBack />
              </IconButton>
            )}
            <Typography variant="h2" component={isPhone ? 'h1' : 'h2'}>
              {error.status === 404 ? t.missing : t.title}
            </Typography>
          </Stack>
          <ErrorNotice error={error} {...(error.status !== 404 && { onRetry: () => void refetch() })} />
        </>
      )}
    </Box>
  )
}

const withWords = texts({ en: { person: 'New conversation' }, zh: { person: '新会话' } })

/** Opens the conversation with a user, or writes the first message of it. */
function WithUser({ userId }: { userId: number }) {
  const t = useTexts(withWords)
  const navigate = useNavigate()
  const list = useAll('conversations.list')
  const contacts = useAll('contacts.list')
  const known = list.data?.find(({ peer }) => peer?.userId === userId)
  const contact = contacts.data?.find((each) => each.userId === userId)
  useEffect(() => {
    if (known !== undefined) void navigate(`/chats/${known.id}`, { replace: true })
  }, [known, navigate])
  if (list.isPending || contacts.isPending || known !== undefined) return <Loading />
  return (
    <FirstMessage
      userId={userId}
      name={contact?.remark || contact?.nickname || t.person}
      avatarUrl={contact?.avatarUrl ?? null}
    />
  )
}
