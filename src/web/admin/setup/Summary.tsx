/** The end of the setup: what was done, and where the rest can be done later. */

import { Alert, Box, Button, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Setup, SetupStep } from '../../api/types.ts'
import { mailWords } from '../../i18n/mail-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { Status, type Tone } from '../../ui/Status.tsx'
import { LATER, stepNames } from './words.ts'

const words = texts({
  en: {
    done: 'The setup is done',
    left: (n: number) => (n === 1 ? 'Setup: 1 step left' : `Setup: ${n} steps left`),
    about: 'Everything can be changed later in Administration.',
    steps: 'Steps',
    states: { OPEN: 'Open', DONE: 'Done', SKIPPED: 'Skipped' },
    now: 'Do it now',
    nowOf: (name: string) => `Do it now: ${name}`,
    goTo: 'Open in Administration',
    goToOf: (name: string) => `Open in Administration: ${name}`,
    start: 'Go to the start page',
    administration: 'Go to Administration',
  },
  zh: {
    done: '设置已完成',
    left: (n: number) => `设置向导：还剩 ${n} 步`,
    about: '所有内容以后都可以在管理后台中更改。',
    steps: '步骤',
    states: { OPEN: '未完成', DONE: '已完成', SKIPPED: '已跳过' },
    now: '现在设置',
    nowOf: (name: string) => `现在设置：${name}`,
    goTo: '在管理后台中打开',
    goToOf: (name: string) => `在管理后台中打开：${name}`,
    start: '前往首页',
    administration: '前往管理后台',
  },
})

const TONES: Readonly<Record<SetupStep['status'], Tone>> = { OPEN: 'warning', DONE: 'good', SKIPPED: 'neutral' }

export function Summary({ setup: { done, steps }, addressOf }: { setup: Setup; addressOf: (step: string) => string }) {
  const t = useTexts(words)
  const names = useTexts(stepNames)
  const { without } = useTexts(mailWords)
  const { data: values } = useCall('server.values', {})
  const left = steps.filter(({ status }) => status === 'OPEN').length
  return (
    <Page title={done ? t.done : t.left(left)} width="form">
      <Typography sx={{ mb: 2 }}>{t.about}</Typography>
      {values?.mail.kind === 'NONE' && (
        <Alert severity="warning" sx={{ mb: 2 }}>
          {without}
        </Alert>
      )}
      <Section>
        <Box component="ul" aria-label={t.steps} sx={{ listStyle: 'none', m: 0, p: 0 }}>
          {steps.map(({ key, status }) => (
            <Stack
              key={key}
              component="li"
              direction="row"
              useFlexGap
              spacing={1}
              sx={{
                flexWrap: 'wrap',
                alignItems: 'center',
                minHeight: 48,
                '& + &': { borderTop: 1, borderColor: 'divider' },
              }}
            >
              <Typography sx={{ flex: '1 1 120px', fontWeight: 600 }}>{names[key]}</Typography>
              <Status tone={TONES[status]} text={t.states[status]} />
              {status === 'OPEN' && (
                <Button component={Link} to={addressOf(key)} aria-label={t.nowOf(names[key])}>
                  {t.now}
                </Button>
              )}
              {status === 'SKIPPED' && (
                <Button component={Link} to={LATER[key]} aria-label={t.goToOf(names[key])}>
                  {t.goTo}
                </Button>
              )}
            </Stack>
          ))}
        </Box>
      </Section>
      <Stack direction={{ xs: 'column-reverse', sm: 'row' }} spacing={1} sx={{ justifyContent: 'flex-end' }}>
        <Button component={Link} to="/admin">
          {t.administration}
        </Button>
        <Button component={Link} to="/" variant="contained">
          {t.start}
        </Button>
      </Stack>
    </Page>
  )
}
