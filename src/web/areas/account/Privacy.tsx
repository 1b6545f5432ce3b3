/** Who may find the user and write to them, the agreements, and the end of the account. */

import { FormControlLabel, Link, MenuItem, Stack, Switch, TextField, Typography } from '@mui/material'

import { useAction, useCall } from '../../api/hooks.ts'
import { forget } from '../../api/tokens.ts'
import type { ContactPrivacy } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { Section } from '../../ui/parts.tsx'
import { AccountPage } from './AccountPage.tsx'

const words = texts({
  en: {
    title: 'Who finds and reaches you',
    saved: 'Saved.',
    findableByEmail: 'Others find me by my e-mail address',
    findableByPhone: 'Others find me by my phone number',
    readReceipts: 'Show what I have read, and see what others have read',
    whoMayRequest: 'Who may ask to become my contact',
    whoMayMessage: 'Who may write to me',
    request: {
      EVERYONE: 'Everyone',
      ORG_MEMBERS: 'Members of my organizations',
      CARD_ONLY: 'Only people who have my card',
      NOBODY: 'Nobody',
    },
    message: {
      CONTACTS: 'My contacts',
      ORG_MEMBERS: 'My contacts and members of my organizations',
      EVERYONE: 'Everyone',
    },
    agreements: 'Agreements',
    agreementsText: 'The texts that are in effect on this server.',
    SERVICE: 'Terms of service',
    PRIVACY: 'Privacy policy',
    end: 'Delete account',
    endText:
      'Your name, ways to sign in, sessions, roles and memberships are deleted at once. Your codes, photos, assets and messages stay on the server. This cannot be undone.',
    word: 'delete my account',
    deleted: 'Your account was deleted.',
  },
  zh: {
    title: '谁能找到和联系你',
    saved: '已保存。',
    findableByEmail: '允许通过邮箱找到我',
    findableByPhone: '允许通过手机号找到我',
    readReceipts: '显示我的已读状态，并查看他人的已读状态',
    whoMayRequest: '谁可以申请添加我',
    whoMayMessage: '谁可以给我发消息',
    request: {
      EVERYONE: '所有人',
      ORG_MEMBERS: '我所在组织的成员',
      CARD_ONLY: '仅持有我名片的人',
      NOBODY: '任何人都不可以',
    },
    message: { CONTACTS: '我的联系人', ORG_MEMBERS: '联系人和所在组织的成员', EVERYONE: '可能认识我的所有人' },
    agreements: '协议',
    agreementsText: '本服务器当前有效的协议。',
    SERVICE: '服务条款',
    PRIVACY: '隐私政策',
    end: '注销账号',
    endText:
      '你的名称、登录方式、会话、角色和组织成员身份将立即删除。你的二维码、照片、资产和消息会保留在服务器上。此操作无法撤销。',
    word: '注销我的账号',
    deleted: '你的账号已注销。',
  },
})

export default function Privacy() {
  const may = useMay()
  return (
    <AccountPage tab="privacy">
      {may('contacts.privacy') && <Reach />}
      <AgreementLinks />
      {may('auth.deleteAccount') && <End />}
    </AccountPage>
  )
}

function Reach() {
  const t = useTexts(words)
  const may = useMay()
  const privacy = useCall('contacts.privacy')
  const save = useAction('contacts.updatePrivacy', { refreshes: ['contacts.privacy'], done: t.saved })
  const isFixed = !may('contacts.updatePrivacy') || save.isPending
  const change = (body: Partial<ContactPrivacy>) => save.mutate({ body })
  return (
    <Section title={t.title}>
      <Answer query={privacy}>
        {(data) => (
          <Stack spacing={2} sx={{ alignItems: 'stretch', maxWidth: 480 }}>
            {(['findableByEmail', 'findableByPhone', 'readReceipts'] as const).map((name) => (
              <FormControlLabel
                key={name}
                disabled={isFixed}
                control={<Switch checked={data[name]} onChange={(_, next) => change({ [name]: next })} />}
                label={t[name]}
              />
            ))}
            <TextField
              select
              disabled={isFixed}
              label={t.whoMayRequest}
              sx={{ '&&': { mt: 3 } }}
              value={data.whoMayRequest}
              onChange={({ target }) => change({ whoMayRequest: target.value as ContactPrivacy['whoMayRequest'] })}
            >
              {Object.entries(t.request).map(([id, name]) => (
                <MenuItem key={id} value={id}>
                  {name}
                </MenuItem>
              ))}
            </TextField>
            <TextField
              select
              disabled={isFixed}
              label={t.whoMayMessage}
              value={data.whoMayMessage}
              onChange={({ target }) => change({ whoMayMessage: target.value as ContactPrivacy['whoMayMessage'] })}
            >
              {Object.entries(t.message).map(([id, name]) => (
                <MenuItem key={id} value={id}>
                  {name}
                </MenuItem>
              ))}
            </TextField>
          </Stack>
        )}
      </Answer>
    </Section>
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
  return (
    <Section title={t.end} text={t.endText}>
      <ActionButton
        operation="auth.deleteAccount"
        input={{}}
        label={t.end}
        title={t.end}
        text={
          <>
            <Typography sx={{ mb: 1, fontWeight: 650 }}>{user.nickname}</Typography>
            {t.endText}
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
