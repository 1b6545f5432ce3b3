/** Joining by a code that is typed, scanned, or in the address (`/join?code=K7WPQ2MX`), as public pages of organizations have it. */

import { QrCodeScanner } from '@mui/icons-material'
import { Alert, Button, Stack, TextField, Typography } from '@mui/material'
import { type FormEvent, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { useEnum } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ErrorNotice, Loading } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { Named } from '../../ui/Portrait.tsx'
import { ScanButton } from '../../ui/ScanDialog.tsx'
import { JoinButton } from './JoinButton.tsx'

const words = texts({
  en: {
    title: 'Join an organization',
    code: 'Organization code',
    codeHelp: 'Eight letters and digits. Members find it on the page of the organization. A link works too.',
    next: 'Continue',
    scan: 'Scan the code',
    members: (n: number) => (n === 1 ? '1 member' : `${n} members`),
    unknown: 'No public organization has this code. Check it, or ask for a new one: codes can be replaced.',
    invited: 'An invitation needs no code. You find it under Organizations.',
    toOrgs: 'My organizations',
  },
  zh: {
    title: '加入组织',
    code: '组织码',
    codeHelp: '8 位字母和数字，组织成员可以在组织页面看到。也可以粘贴链接。',
    next: '继续',
    scan: '扫描二维码',
    members: (n: number) => `${n} 名成员`,
    unknown: '没有公开组织使用此组织码。请检查是否有误，或索取新的组织码（组织码可能已更换）。',
    invited: '收到邀请时不需要组织码，请在“组织”中接受邀请。',
    toOrgs: '我的组织',
  },
})

/** The code in a text that was typed, pasted or scanned: the code itself, `org-join:CODE`, or a link to a page of the organization. */
function codeIn(text: string): string {
  const trimmed = text.trim()
  const inLink = /\/public\/orgs\/([^/?#]+)|[?&]code=([^&#]+)/.exec(trimmed)
  const code = inLink?.[1] ?? inLink?.[2] ?? trimmed.replace(/^org-join:/i, '')
  return code.replaceAll(/[\s-]/g, '').toUpperCase()
}

export default function Join() {
  const t = useTexts(words)
  const [params, setParams] = useSearchParams()
  const code = codeIn(params.get('code') ?? '')
  const [typed, setTyped] = useState(code)
  const open = (text: string) => {
    const found = codeIn(text)
    setTyped(found)
    if (found !== '') setParams({ code: found })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    open(typed)
  }
  return (
    <Page title={t.title} back="/orgs" width="form">
      {code !== '' && <Preview key={code} code={code} />}
      <Section>
        <form onSubmit={submit}>
          <Stack spacing={2}>
            <TextField
              required
              autoFocus={code === ''}
              label={t.code}
              helperText={t.codeHelp}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              slotProps={{ htmlInput: { autoCapitalize: 'characters', autoComplete: 'off', spellCheck: false } }}
            />
            <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', justifyContent: 'flex-end' }}>
              <ScanButton label={t.scan} icon={<QrCodeScanner />} variant="outlined" onCode={open} />
              <Button type="submit" variant={code === '' ? 'contained' : 'outlined'}>
                {t.next}
              </Button>
            </Stack>
          </Stack>
        </form>
      </Section>
      <Typography variant="body2" color="text.secondary">
        {t.invited}{' '}
        <Button component={Link} to="/orgs" size="small">
          {t.toOrgs}
        </Button>
      </Typography>
    </Page>
  )
}

function Preview({ code }: { code: string }) {
  const t = useTexts(words)
  const policyOf = useEnum('joinPolicy')
  const { state } = useLocation()
  const { data: org, error, refetch } = useCall('orgs.public', { params: { code } })
  if (error !== null && org === undefined)
    return error.status === 404 ? (
      <Alert severity="warning" sx={{ mb: 2 }}>
        {t.unknown}
      </Alert>
    ) : (
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    )
  if (org === undefined) return <Loading />
  return (
    <Section>
      <Stack spacing={2}>
        <Named
          name={org.name}
          url={org.avatarUrl}
          size={64}
          isOrganization
          details={`${t.members(org.memberCount)} · ${policyOf(org.joinPolicy)}`}
        >
          <Typography variant="h2" component="h2">
            {org.name}
          </Typography>
        </Named>
        {org.description !== '' && (
          <Typography sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>{org.description}</Typography>
        )}
        <Stack direction="row" sx={{ justifyContent: 'flex-end' }}>
          <JoinButton org={org} isLarge joins={(state as { joins?: boolean } | null)?.joins === true} />
        </Stack>
      </Stack>
    </Section>
  )
}
