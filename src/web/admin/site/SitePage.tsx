/** The name, the look and the contact of the server, and below them its mail server. */

import { Stack } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { IdentityForm, valuesOf } from './IdentityForm.tsx'
import { MailSection } from './MailSection.tsx'

const words = texts({ en: { title: 'Name and mail' }, zh: { title: '名称与邮件' } })

export default function SitePage() {
  const t = useTexts(words)
  const query = useCall('server.values', {})
  return (
    <Page title={t.title} width="form">
      <Answer query={query}>
        {({ identity, mail }) => (
          <Stack spacing={2}>
            <IdentityForm key={contentOf(valuesOf(identity))} identity={identity} />
            <MailSection key={contentOf(mail)} mail={mail} />
          </Stack>
        )}
      </Answer>
    </Page>
  )
}

/** Each form is reset when its own values are saved, and keeps typed texts when the other form or the logo is: all have one version. */
const contentOf = (values: object): string => JSON.stringify({ ...values, version: null, status: null })
