import { Box } from '@mui/material'

import { useCall } from '../../../api/hooks.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { Answer } from '../../../ui/Answer.tsx'
import { Section } from '../../../ui/parts.tsx'
import { Moved, SETUP_PATH } from '../../address/AddressNow.tsx'
import { CertificateForm, certificateKey } from '../../address/CertificateForm.tsx'
import { CertificateState } from '../../address/CertificateState.tsx'
import { EVERY, isSettled } from '../../address/names.ts'
import type { StepProps } from '../step.tsx'

const words = texts({
  en: {
    about:
      'With a certificate, connections are encrypted, and phones allow the camera, the position and notifications.',
    keep: 'Keep as it is',
  },
  zh: { about: '有证书时连接会加密，手机也允许使用摄像头、定位和通知。', keep: '保持不变' },
})

export function Certificate({ step }: { step: StepProps }) {
  const t = useTexts(words)
  const query = useCall('server.values', {}, { every: EVERY, isLast: isSettled })
  return (
    <Section text={t.about}>
      <Answer query={query}>
        {({ reach, certificate }) => (
          <>
            <CertificateState reach={reach} certificate={certificate} />
            {certificate.status === 'VALID' && reach.publicUrl !== location.origin && (
              <Box sx={{ mb: 2 }}>
                <Moved reach={reach} certificate={certificate} path={SETUP_PATH} />
              </Box>
            )}
            <CertificateForm
              key={certificateKey(reach, certificate)}
              reach={reach}
              certificate={certificate}
              step={certificate.kind === 'NONE' ? { ...step, action: t.keep } : step}
            />
          </>
        )}
      </Answer>
    </Section>
  )
}
