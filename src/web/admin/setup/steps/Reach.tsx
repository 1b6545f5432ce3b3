import { Button, Stack } from '@mui/material'
import { Link } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { AddressWarning } from '../../../ui/AddressWarning.tsx'
import { Answer } from '../../../ui/Answer.tsx'
import { Facts, Section } from '../../../ui/parts.tsx'
import { StepActions, type StepProps } from '../step.tsx'

const words = texts({
  en: {
    about: 'People open the server at this address, and printed codes begin with it.',
    address: 'Address',
    change: 'Change the address',
    keep: 'Keep as it is',
  },
  zh: {
    about: '用户通过此地址打开服务器，打印的二维码也以它开头。',
    address: '地址',
    change: '更改地址',
    keep: '保持不变',
  },
})

export function Reach({ step }: { step: StepProps }) {
  const t = useTexts(words)
  const query = useCall('server.get')
  return (
    <Section text={t.about}>
      <Answer query={query}>
        {({ publicUrl }) => (
          <Stack spacing={2} sx={{ alignItems: 'flex-start' }}>
            <Facts items={[[t.address, publicUrl]]} />
            <AddressWarning />
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
