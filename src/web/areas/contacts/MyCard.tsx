/** The card of the user: a code by which others find and ask the user. */

import { ContentCopy, Fullscreen, Refresh } from '@mui/icons-material'
import { Button, Stack, Typography } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import { publicAddress } from '../../api/local-addresses.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { CodeScreen } from '../../ui/CodeScreen.tsx'
import { useCopy } from '../../ui/copy.ts'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { Section } from '../../ui/parts.tsx'
import { Portrait } from '../../ui/Portrait.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { nameOf } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    help: 'Let somebody scan this code in the app or in the browser, or send them the link. They can then ask to become your contact.',
    picture: 'QR code of my card',
    show: 'Full screen',
    copy: 'Copy link',
    replace: 'Replace the code',
    replaceTitle: 'Replace the code of your card?',
    replaceText: 'The old code and its link stop working at once, also on printed cards. Your contacts stay.',
    replaced: 'Your card has a new code.',
  },
  zh: {
    help: '请对方在应用或网页版中扫描此二维码，或把链接发给对方，对方即可申请加你为联系人。',
    picture: '我的名片二维码',
    show: '全屏显示',
    copy: '复制链接',
    replace: '更换名片码',
    replaceTitle: '更换名片码？',
    replaceText: '旧名片码及其链接会立即失效，已印制的名片也会失效。现有联系人不受影响。',
    replaced: '名片码已更换。',
  },
})

export function MyCard() {
  const t = useTexts(words)
  const { user } = useSession()
  const copy = useCopy()
  const query = useCall('contacts.card')
  const name = nameOf(user)
  return (
    <Answer query={query}>
      {({ code, content }) => {
        const readable = code.replaceAll(/(.{4})(?=.)/g, '$1 ')
        return (
          <Section>
            <Stack spacing={1.5} sx={{ alignItems: 'center', textAlign: 'center', py: 1 }}>
              <Portrait name={name} url={user.avatarUrl} size={72} />
              <Typography variant="h2" sx={{ overflowWrap: 'anywhere' }}>
                {name}
              </Typography>
              <QrPicture content={content} alt={t.picture} width={240} sx={{ borderRadius: 1 }} />
              <Typography sx={{ fontFamily: 'monospace', fontSize: '1.125rem', letterSpacing: 1 }}>
                {readable}
              </Typography>
              <Typography color="text.secondary" sx={{ maxWidth: 460 }}>
                {t.help}
              </Typography>
              <Stack direction="row" useFlexGap sx={{ flexWrap: 'wrap', gap: 1, justifyContent: 'center' }}>
                <DialogButton label={t.show} icon={<Fullscreen />}>
                  {(close) => (
                    <CodeScreen content={content} alt={t.picture} title={name} text={readable} onClose={close} />
                  )}
                </DialogButton>
                <Button
                  variant="outlined"
                  startIcon={<ContentCopy />}
                  onClick={() => copy(publicAddress(`/console/contacts/add?code=${code}`))}
                >
                  {t.copy}
                </Button>
                <ActionButton
                  operation="contacts.refreshCard"
                  input={{}}
                  icon={<Refresh />}
                  label={t.replace}
                  title={t.replaceTitle}
                  text={t.replaceText}
                  done={t.replaced}
                />
              </Stack>
            </Stack>
          </Section>
        )
      }}
    </Answer>
  )
}
