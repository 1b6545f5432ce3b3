/** The members who have read a message of the user: their number below it, and their names on tap. */

import { Done, DoneAll } from '@mui/icons-material'
import { Button, ButtonBase, Dialog, DialogActions, DialogContent, DialogTitle, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import { common } from '../../i18n/common.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Named } from '../../ui/Portrait.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'Read by',
    readBy: (n: number) => (n === 0 ? 'Not read yet' : n === 1 ? 'Read by 1 member' : `Read by ${n} members`),
    nobody: 'Nobody has read it yet.',
    others: (n: number) => (n === 1 ? '1 other member' : `${n} other members`),
    othersHelp: 'They have not read it, or do not show what they read.',
    unavailable: {
      LARGE_GROUP: 'Groups of more than 100 members do not show who has read a message.',
      RECEIPTS_OFF: 'You have turned read receipts off, so you do not see those of others.',
      RECALLED: 'The message was recalled.',
    },
  },
  zh: {
    ...common.zh,
    title: '已读成员',
    readBy: (n: number) => (n === 0 ? '尚无人已读' : `${n} 人已读`),
    nobody: '还没有人读过。',
    others: (n: number) => `另有 ${n} 位成员`,
    othersHelp: '他们尚未阅读，或不显示已读状态。',
    unavailable: {
      LARGE_GROUP: '超过 100 人的群聊不显示已读成员。',
      RECEIPTS_OFF: '你已关闭已读回执，因此看不到他人的已读状态。',
      RECALLED: '消息已撤回。',
    },
  },
})

/** How many members have read an own message; names them on tap. */
export function ReadBy({ messageId, count }: { messageId: number; count: number }) {
  const t = useTexts(words)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ButtonBase
        aria-label={t.readBy(count)}
        tabIndex={-1}
        onClick={() => setOpen(true)}
        // The area to tap is larger than the sign, without moving the text.
        sx={{ gap: 0.25, borderRadius: 1, '&::after': { content: '""', position: 'absolute', inset: '-12px -8px' } }}
      >
        {count === 0 ? <Done sx={{ fontSize: 16 }} /> : <DoneAll sx={{ fontSize: 16 }} />}
        {count > 0 && <Typography variant="caption">{count}</Typography>}
      </ButtonBase>
      {isOpen && <ReadersDialog messageId={messageId} onClose={() => setOpen(false)} />}
    </>
  )
}

export function ReadersDialog({ messageId, onClose }: { messageId: number; onClose: () => void }) {
  const t = useTexts(words)
  const query = useCall('messages.readers', { params: { id: messageId } })
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby="readers-title">
      <DialogTitle id="readers-title">{t.title}</DialogTitle>
      <DialogContent>
        <Answer query={query}>
          {({ readers, notReadCount, unavailable }) =>
            unavailable === null ? (
              <Stack spacing={1.5}>
                {readers.length === 0 && <Typography>{t.nobody}</Typography>}
                {readers.map(({ userId, nickname, avatarUrl, readAt }) => (
                  <Named key={userId} name={nickname} url={avatarUrl} details={dateTime(readAt)} />
                ))}
                {notReadCount > 0 && (
                  <div>
                    <Typography sx={{ fontWeight: 500 }}>{t.others(notReadCount)}</Typography>
                    <Typography variant="body2" color="text.secondary">
                      {t.othersHelp}
                    </Typography>
                  </div>
                )}
              </Stack>
            ) : (
              <Typography>{t.unavailable[unavailable]}</Typography>
            )
          }
        </Answer>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t.close}</Button>
      </DialogActions>
    </Dialog>
  )
}
