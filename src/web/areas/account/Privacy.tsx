/** Who may find the user and write to them, the agreements, and the end of the account. */

import { Link, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import { forget } from '../../api/tokens.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { ContactPrivacy } from '../../ui/ContactPrivacy.tsx'
import { DeleteContent } from '../../ui/DeleteContent.tsx'
import { Section } from '../../ui/parts.tsx'
import { AccountPage } from './AccountPage.tsx'

const words = texts({
  en: {
    agreements: 'Agreements',
    agreementsText: 'The texts that are in effect on this server.',
    SERVICE: 'Terms of service',
    PRIVACY: 'Privacy policy',
    end: 'Delete account',
    endText:
      'Your name, ways to sign in, sessions, roles and memberships are deleted at once. Your codes, photos and assets stay on the server unless you choose to delete them too; messages to others stay. This cannot be undone.',
    word: 'delete my account',
    deleted: 'Your account was deleted.',
  },
  zh: {
    agreements: '协议',
    agreementsText: '本服务器当前有效的协议。',
    SERVICE: '服务条款',
    PRIVACY: '隐私政策',
    end: '注销账号',
    endText:
      '你的名称、登录方式、会话、角色和组织成员身份将立即删除。你的二维码、照片和资产会保留在服务器上，除非你选择一并删除；发给他人的消息会保留。此操作无法撤销。',
    word: '注销我的账号',
    deleted: '你的账号已注销。',
  },
})

export default function Privacy() {
  const may = useMay()
  return (
    <AccountPage tab="privacy">
      {may('contacts.privacy') && <ContactPrivacy />}
      <AgreementLinks />
      {may('auth.deleteAccount') && <End />}
    </AccountPage>
  )
}

/** The pages of the server, for those that are in effect. */
function AgreementLinks() {
  const t = useTexts(words)
  const service = useCall('agreements.current', { query: { type: 'SERVICE' } })
  const privacy = useCall('agreements.current', { query: { type: 'PRIVACY' } })
  const current = [service.data, privacy.data].filter((each) => each !== undefined && each !== null)
  if (current.length === 0) return null
  return (
    <Section title={t.agreements} text={t.agreementsText}>
      <Stack spacing={1} sx={{ alignItems: 'flex-start' }}>
        {current.map(({ type, title }) => (
          <Link key={type} href={`/public/agreement/${type.toLowerCase()}`} target="_blank" rel="noreferrer">
            {title || t[type]}
          </Link>
        ))}
      </Stack>
    </Section>
  )
}

function End() {
  const t = useTexts(words)
  const { user } = useSession()
  const [deletes, setDeletes] = useState(false)
  return (
    <Section title={t.end} text={t.endText}>
      <ActionButton
        operation="auth.deleteAccount"
        input={{ body: { content: deletes ? 'DELETE' : 'KEEP' } }}
        label={t.end}
        title={t.end}
        text={
          <>
            <Typography sx={{ mb: 1, fontWeight: 650 }}>{user.nickname}</Typography>
            {t.endText}
            <DeleteContent value={deletes} onChange={setDeletes} />
          </>
        }
        typed={t.word}
        done={t.deleted}
        refreshes={[]}
        onDone={forget}
        variant="outlined"
      />
    </Section>
  )
}
