/** How people reach the server, its certificate, a check from outside, and earlier addresses. */

import { Button } from '@mui/material'
import { useState } from 'react'

import { useAction, useCall } from '../../api/hooks.ts'
import type { ServerCertificate, ServerReach } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { AddressNow, Moved } from './AddressNow.tsx'
import { AliasList } from './AliasList.tsx'
import { CertificateForm, certificateKey } from './CertificateForm.tsx'
import { CertificateState } from './CertificateState.tsx'
import { EVERY, isSettled } from './names.ts'
import { OutsideCheck } from './OutsideCheck.tsx'
import { ReachForm, reachValues } from './ReachForm.tsx'

const words = texts({
  en: {
    title: 'Address and certificate',
    now: 'The address now',
    about: 'People open the server here, and printed codes begin with it.',
    change: 'Change the address',
    changeAbout: 'A change acts at once. If a port cannot be opened, nothing changes.',
    certificate: 'Certificate',
    certificateAbout: 'With it connections are encrypted, and phones allow camera, position and notifications.',
    kept: 'The certificate of earlier is kept for the time when others reach the server again.',
    forget: 'Forget it',
    forgotten: 'The certificate is forgotten.',
    check: 'Check from outside',
    checkAbout: 'A phone opens the address, and this page says whether it works.',
    earlier: 'Earlier addresses',
    removed: 'The address is removed.',
  },
  zh: {
    title: '地址与证书',
    now: '当前地址',
    about: '用户通过此地址打开服务器，打印的二维码以它开头。',
    change: '更改地址',
    changeAbout: '更改立即生效。如果端口无法打开，则不做任何更改。',
    certificate: '证书',
    certificateAbout: '有证书时连接会加密，手机也允许使用摄像头、定位和通知。',
    kept: '以前的证书已保留，以便其他人再次访问服务器时使用。',
    forget: '不再保留',
    forgotten: '证书已删除。',
    check: '从外部检查',
    checkAbout: '用手机打开地址，本页会显示是否可用。',
    earlier: '曾用地址',
    removed: '地址已删除。',
  },
})

export default function AddressPage() {
  const t = useTexts(words)
  const may = useMay()
  const query = useCall('server.values', {}, { every: EVERY, isLast: isSettled })
  /** The address after a change that has moved it. It is kept here, because the page may not be able to read anything from then on. */
  const [moved, setMoved] = useState<ServerReach>()
  return (
    <Page title={t.title} width="form">
      <Answer query={query}>
        {({ reach, certificate }) => (
          <>
            <Section title={t.now} text={t.about}>
              <AddressNow reach={reach} />
            </Section>
            <Section title={t.change} text={t.changeAbout}>
              <ReachForm
                key={JSON.stringify(reachValues(reach))}
                reach={reach}
                onSaved={(next) => setMoved(next.publicUrl === reach.publicUrl ? undefined : next)}
              />
              {moved && <Moved reach={moved} certificate={certificate} />}
            </Section>
            <Certificate reach={reach} certificate={certificate} />
            {reach.mode !== 'LOCAL' && may('server.checks.start') && (
              <Section title={t.check} text={t.checkAbout}>
                <OutsideCheck addresses={[reach.publicUrl, ...reach.aliases.map(({ origin }) => origin)]} />
              </Section>
            )}
            <Aliases reach={reach} />
          </>
        )}
      </Answer>
    </Page>
  )
}

interface CertificateProps {
  reach: ServerReach
  certificate: ServerCertificate
}

/** Nothing on a server for this computer only, unless a certificate is stored. */
function Certificate({ reach, certificate }: CertificateProps) {
  const t = useTexts(words)
  const may = useMay()
  const forget = useAction('server.certificate.update', { done: t.forgotten })
  if (reach.mode !== 'LOCAL')
    return (
      <Section title={t.certificate} text={t.certificateAbout}>
        <CertificateState reach={reach} certificate={certificate} />
        <CertificateForm key={certificateKey(reach, certificate)} reach={reach} certificate={certificate} />
      </Section>
    )
  if (certificate.sources['kind'] !== 'DATABASE' || !may('server.certificate.update')) return null
  return (
    <Section title={t.certificate} text={t.kept}>
      <Button variant="outlined" loading={forget.isPending} onClick={() => forget.mutate({ body: { kind: 'NONE' } })}>
        {t.forget}
      </Button>
    </Section>
  )
}

function Aliases({ reach: { aliases } }: { reach: ServerReach }) {
  const t = useTexts(words)
  const may = useMay()
  const update = useAction('server.reach.update', { done: t.removed, quiet: true })
  if (aliases.length === 0) return null
  const keep = (origins: string[]) => update.mutateAsync({ query: { force: true }, body: { aliases: origins } })
  return (
    <Section title={t.earlier}>
      <AliasList aliases={aliases} keep={may('server.reach.update') ? keep : undefined} />
    </Section>
  )
}
