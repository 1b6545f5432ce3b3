import { Stack } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../../api/hooks.ts'
import type { ServerReach } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { Answer } from '../../../ui/Answer.tsx'
import { Section } from '../../../ui/parts.tsx'
import { AddressNow, Moved, SETUP_PATH } from '../../address/AddressNow.tsx'
import { ReachForm, reachValues } from '../../address/ReachForm.tsx'
import type { StepProps } from '../step.tsx'

const words = texts({
  en: { about: 'People open the server at this address, and printed codes begin with it.', keep: 'Keep as it is' },
  zh: { about: '用户通过此地址打开服务器，打印的二维码也以它开头。', keep: '保持不变' },
})

export function Reach({ step }: { step: StepProps }) {
  const t = useTexts(words)
  const query = useCall('server.values', {})
  const [saved, setSaved] = useState<ServerReach>()
  return (
    <Section text={t.about}>
      <Answer query={query}>
        {({ reach, certificate }) => (
          <Stack spacing={2}>
            {saved ? <Moved reach={saved} certificate={certificate} path={SETUP_PATH} /> : <AddressNow reach={reach} />}
            <ReachForm
              key={JSON.stringify(reachValues(reach))}
              reach={reach}
              onSaved={setSaved}
              step={saved ? step : { ...step, action: t.keep }}
            />
          </Stack>
        )}
      </Answer>
    </Section>
  )
}
