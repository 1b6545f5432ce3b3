/** The short link of a code on its page: to be copied, and the way to its rules. */

import { Launch, Share, Tune } from '@mui/icons-material'
import { Alert, Button, Card, CardContent, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import type { QrCode } from '../../api/types.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useOwnerQuery } from '../../session/session.ts'
import { useCopy } from '../../ui/copy.ts'
import { showWarnings } from './show-warnings.ts'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    title: 'Short link',
    copy: 'Copy short link',
    send: 'Send',
    settings: 'Rules, end and password',
    target: 'Scans are led to the content at once.',
    page: 'Scans are shown the public page first.',
    isPrivate: 'The short link and its labels lead nowhere until the page is public.',
    none: 'This code was made before there were short links. Its picture holds the longer link of the public page.',
    blocked: (time: string) =>
      `An administrator blocked this code on ${time}. People who scan it read that it is blocked.`,
  },
  zh: {
    title: '短链接',
    copy: '复制短链接',
    send: '发送',
    settings: '规则、有效期和密码',
    target: '扫码后直接跳转到内容。',
    page: '扫码后先显示公开页面。',
    isPrivate: '公开之前，短链接和标签都无法打开。',
    none: '此码创建时还没有短链接，图片中是较长的公开页面链接。',
    blocked: (time: string) => `管理员于 ${time} 封禁了此码，扫码者会看到提示。`,
  },
})

export function ShortLink({ code }: { code: QrCode }) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const may = useMay()
  const query = useOwnerQuery()
  const copy = useCopy()
  const open = useAction('qrCodes.update', { done: shared.opened, onDone: showWarnings })
  const { shortUrl, opens, blockedAt } = code
  if (opens === null && blockedAt === null) return null
  const send = () => void navigator.share({ title: code.name, url: shortUrl! }).catch(() => undefined)
  return (
    <Card>
      <CardContent component={Stack} spacing={1.5}>
        {blockedAt !== null && <Alert severity="error">{t.blocked(dateTime(blockedAt))}</Alert>}
        {opens !== null && (
          <>
            <Typography variant="h2">{t.title}</Typography>
            {shortUrl === null ? (
              <Typography variant="body2" color="text.secondary">
                {t.none}
              </Typography>
            ) : (
              <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{shortUrl}</Typography>
            )}
            <Typography variant="body2" color="text.secondary">
              {!code.isPublic ? t.isPrivate : opens === 'TARGET' ? t.target : t.page}
            </Typography>
            <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
              {shortUrl !== null && (
                <Button variant="outlined" onClick={() => copy(shortUrl)}>
                  {t.copy}
                </Button>
              )}
              {shortUrl !== null && 'share' in navigator && (
                <Button startIcon={<Share />} onClick={send}>
                  {t.send}
                </Button>
              )}
              {opens === 'PAGE' && may('qrCodes.update') && (
                <Button
                  startIcon={<Launch />}
                  loading={open.isPending}
                  onClick={() => open.mutate({ params: { id: code.id }, query, body: { opens: 'TARGET' } })}
                >
                  {shared.openAtOnce}
                </Button>
              )}
              {shortUrl !== null && may('qrCodes.link') && (
                <Button startIcon={<Tune />} component={Link} to={`/codes/${code.id}/link`}>
                  {t.settings}
                </Button>
              )}
            </Stack>
          </>
        )}
      </CardContent>
    </Card>
  )
}
