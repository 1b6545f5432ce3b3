/** A message as its readers get it by e-mail, in both languages. */

import { Box, Button, Divider, Stack, Typography } from '@mui/material'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { callWith } from '../../../api/client.ts'
import type { ApiError } from '../../../api/errors.ts'
import { useAction } from '../../../api/hooks.ts'
import type { MessagePreview } from '../../../api/types.ts'
import { notify } from '../../../browser/notices.ts'
import { texts, useLocale, useTexts } from '../../../i18n/words.ts'
import { useSession } from '../../../session/session.ts'
import { ErrorNotice } from '../../../ui/Answer.tsx'
import { ToggleField } from '../../../ui/fields.tsx'
import { Rendered } from '../../../ui/Rendered.tsx'
import { useSettled } from '../../../ui/use-settled.ts'

const words = texts({
  en: {
    preview: 'Preview',
    empty: 'The mail appears here as its readers will see it.',
    noSubject: '(no subject yet)',
    test: 'Send me a test mail',
    sent: (to: string) => `A test mail is on its way to ${to}.`,
  },
  zh: {
    preview: '预览',
    empty: '这里会显示读者收到的邮件。',
    noSubject: '（尚无主题）',
    test: '发送测试邮件给我',
    sent: (to: string) => `测试邮件正在发往 ${to}。`,
  },
})

/** The languages of mails, each in itself. */
const LANGUAGES = { en: 'English', zh: '中文' } as const

/** Milliseconds without a key. The server makes 60 previews a minute. */
const PAUSE = 1_000

export interface MailPreviewProps {
  activityId: number
  subject: string
  body: string
  attachPass: boolean
}

export function MailPreview({ activityId, subject, body, attachPass }: MailPreviewProps) {
  const t = useTexts(words)
  const [language, setLanguage] = useState<keyof typeof LANGUAGES>(useLocale())
  // A text, so that equal values are the same.
  const asked = useSettled(JSON.stringify({ subject: subject.trim() || t.noSubject, body, attachPass }), PAUSE)
  const isEmpty = body.trim() === '' || (JSON.parse(asked) as { body: string }).body.trim() === ''
  const { data, error } = useQuery<MessagePreview, ApiError>({
    queryKey: ['activityMessages', 'preview', activityId, asked],
    queryFn: async ({ signal }) =>
      (await callWith(
        'activityMessages.preview',
        { params: { id: activityId }, body: JSON.parse(asked) as object },
        { signal },
      )) as MessagePreview,
    enabled: !isEmpty,
    placeholderData: keepPreviousData,
  })
  const mail = data?.[language]
  const { mailAvailable } = useSession().user
  const test = useAction('activityMessages.preview', {
    refreshes: [],
    onDone: ({ sentTo }) => notify(t.sent(sentTo!), 'success'),
  })
  return (
    <Stack component="section" spacing={1.5} aria-label={t.preview}>
      <ToggleField value={language} onChange={setLanguage} choices={LANGUAGES} />
      {error !== null && <ErrorNotice error={error} />}
      {isEmpty || mail === undefined ? (
        <Typography color="text.secondary">{t.empty}</Typography>
      ) : (
        <Box lang={language === 'zh' ? 'zh-CN' : 'en'} sx={{ '& td:first-of-type': { whiteSpace: 'nowrap' } }}>
          <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{mail.subject}</Typography>
          <Divider sx={{ my: 1.5 }} />
          <Rendered html={mail.html} />
        </Box>
      )}
      {mailAvailable && (
        <Button
          sx={{ alignSelf: 'start' }}
          disabled={isEmpty || test.isPending}
          onClick={() =>
            test.mutate({
              params: { id: activityId },
              body: { subject: subject.trim() || t.noSubject, body, attachPass, test: true },
            })
          }
        >
          {t.test}
        </Button>
      )}
    </Stack>
  )
}
