import { Button, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { Answer } from '../../../ui/Answer.tsx'
import { Section } from '../../../ui/parts.tsx'
import { StepActions, type StepProps } from '../step.tsx'

const words = texts({
  en: {
    about:
      'With a certificate, connections are encrypted, and phones allow the camera, the position and notifications.',
    has: (url: string) => `The server is opened by HTTPS: ${url}`,
    none: (url: string) => `The server is opened without HTTPS: ${url}`,
    change: 'Set up the certificate',
    keep: 'Keep as it is',
  },
  zh: {
    about: '有证书时连接会加密，手机也允许使用相机、定位和通知。',
    has: (url: string) => `服务器通过 HTTPS 打开：${url}`,
    none: (url: string) => `服务器未通过 HTTPS 打开：${url}`,
    change: '设置证书',
    keep: '保持不变',
  },
})

export function Certificate({ step }: { step: StepProps }) {
  const t = useTexts(words)
  const query = useCall('server.get')
  return (
    <Section text={t.about}>
      <Answer query={query}>
        {({ publicUrl }) => (
          <Stack spacing={2} sx={{ alignItems: 'flex-start' }}>
            <Typography sx={{ overflowWrap: 'anywhere' }}>
              {publicUrl.startsWith('https:') ? t.has(publicUrl) : t.none(publicUrl)}
            </Typography>
            <Button component={Link} to="/admin/address" variant="outlined">
              {t.change}
            </Button>
          </Stack>
        )}
      </Answer>
      <StepActions step={step} action={t.keep} />
    </Section>
  )
}
