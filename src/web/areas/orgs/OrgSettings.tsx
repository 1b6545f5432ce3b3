/** Settings of an organization, and the end of a membership or of the organization. */

import { Autocomplete, Stack, TextField, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import { useAll } from '../../api/pages.ts'
import type { Organization } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession, useMay, useSession } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { Form } from '../../ui/Form.tsx'
import { Nothing, part } from '../../ui/part.tsx'
import { Section } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { Dissolve } from './Dissolve.tsx'
import { bodyOf, OrgFields, valuesOf } from './OrgFields.tsx'

const OrgApiKeys = part(() => import('./OrgApiKeys.tsx'), Nothing)

const OrgWebhooks = part(() => import('./OrgWebhooks.tsx'), Nothing)

const words = texts({
  en: {
    ...common.en,
    data: 'Data',
    saved: 'The organization is saved.',
    more: 'Membership and ownership',
    code: 'Replace the organization code',
    codeText: 'If the code has reached the wrong people, replace it.',
    codeConfirm:
      'The old code, its QR code and the public page at the old address stop working at once. Print posters again.',
    codeDone: 'The organization has a new code.',
    factor: 'Require a second factor',
    factorText:
      'Members who sign in with a password alone see nothing of the organization until they set up an authenticator app, or have every sign-in ask for a passkey. You need a second factor yourself.',
    factorConfirm: 'Members without a second factor are locked out at once. They can only leave.',
    factorOff: 'No longer require a second factor',
    factorOffText: 'Members need a second factor now. Without it they can only leave.',
    factorOffConfirm: 'Members who sign in with a password alone get in again.',
    transfer: 'Transfer ownership',
    transferText:
      'Offer the organization to another member, who has 7 days to accept. You stay a member as an administrator.',
    newOwner: 'New owner',
    offer: 'Send offer',
    offered: 'The offer was sent.',
    alone: 'The organization has no other member. Invite the new owner first.',
    leave: 'Leave',
    leaveText: 'You lose access to the things of the organization. Everything that you made for it stays.',
    leaveConfirm: (name: string) => `Leave “${name}”?`,
    left: 'You have left the organization.',
    dissolveText: 'Deletes the organization for all members. Everything it owns must be deleted or moved first.',
    dissolved: 'The organization is dissolved.',
  },
  zh: {
    ...common.zh,
    data: '资料',
    saved: '组织已保存。',
    more: '成员身份与所有权',
    code: '更换组织码',
    codeText: '如果组织码泄露，可以更换。',
    codeConfirm: '旧组织码、其二维码和旧地址的公开页面会立即失效，海报需要重新打印。',
    codeDone: '组织码已更换。',
    factor: '要求第二重验证',
    factorText:
      '仅凭密码登录的成员将看不到该组织的任何内容，直到设置身份验证器，或将通行密钥设为每次登录都要求使用。你自己也须先启用。',
    factorConfirm: '未启用第二重验证的成员会立即失去访问权限，只能退出组织。',
    factorOff: '不再要求第二重验证',
    factorOffText: '目前要求成员启用第二重验证，否则只能退出组织。',
    factorOffConfirm: '仅凭密码登录的成员将恢复访问。',
    transfer: '转让组织',
    transferText: '向另一名成员发起转让，对方须在 7 天内接受。你将以管理员身份保留为成员。',
    newOwner: '新所有者',
    offer: '发起转让',
    offered: '已发起转让。',
    alone: '组织没有其他成员，请先邀请新所有者。',
    leave: '退出组织',
    leaveText: '你将失去对组织内容的访问权限，你为组织创建的内容会保留。',
    leaveConfirm: (name: string) => `退出“${name}”？`,
    left: '你已退出该组织。',
    dissolveText: '为所有成员删除该组织。须先删除或移走其拥有的全部内容。',
    dissolved: '组织已解散。',
  },
})

export function OrgSettings({ org }: { org: Organization }) {
  const t = useTexts(words)
  const may = useMay()
  const navigate = useNavigate()
  const { user } = useSession()
  const isOwner = org.ownerId === user.id
  return (
    <>
      {may('orgs.update', org) && <DataForm org={org} />}
      {may('orgs.apiKeys', org) && <OrgApiKeys org={org} />}
      {may('orgs.update', org) && <OrgWebhooks org={org} />}
      <Section title={t.more}>
        <Stack spacing={2.5}>
          {may('orgs.resetCode', org) && (
            <Choice text={t.codeText}>
              <ActionButton
                operation="orgs.resetCode"
                org={org}
                input={{ params: { id: org.id } }}
                label={t.code}
                title={t.code}
                text={t.codeConfirm}
                done={t.codeDone}
                variant="outlined"
              />
            </Choice>
          )}
          {isOwner && may('orgs.update', org) && (
            <Choice text={org.requireSecondFactor ? t.factorOffText : t.factorText}>
              <Requirement key={String(org.requireSecondFactor)} org={org} />
            </Choice>
          )}
          {isOwner && may('orgs.transfer', org) && org.pendingTransfer === null && (
            <Choice text={t.transferText}>
              <Transfer org={org} />
            </Choice>
          )}
          {!isOwner && (
            <Choice text={t.leaveText}>
              <ActionButton
                operation="orgs.leave"
                input={{ params: { id: org.id } }}
                label={t.leave}
                title={t.leaveConfirm(org.name)}
                text={t.leaveText}
                done={t.left}
                variant="outlined"
                refreshes={[]}
                onDone={() => void reloadSession().then(() => navigate('/orgs', { replace: true }))}
              />
            </Choice>
          )}
          {isOwner && may('orgs.dissolve', org) && (
            <Choice text={t.dissolveText}>
              <DissolveOwn org={org} />
            </Choice>
          )}
        </Stack>
      </Section>
    </>
  )
}

function Requirement({ org }: { org: Organization }) {
  const t = useTexts(words)
  const { id, requireSecondFactor } = org
  return (
    <ActionButton
      operation="orgs.update"
      org={org}
      input={{ params: { id }, body: { requireSecondFactor: !requireSecondFactor } }}
      label={requireSecondFactor ? t.factorOff : t.factor}
      title={requireSecondFactor ? t.factorOff : t.factor}
      text={requireSecondFactor ? t.factorOffConfirm : t.factorConfirm}
      done={t.saved}
      variant="outlined"
    />
  )
}

/** An action with the sentence that explains it. */
const Choice = ({ text, children }: { text: string; children: ReactNode }) => (
  <Stack direction={{ xs: 'column', sm: 'row' }} spacing={1} sx={{ alignItems: { xs: 'flex-start', sm: 'center' } }}>
    <Typography color="text.secondary" sx={{ flex: 1 }}>
      {text}
    </Typography>
    {children}
  </Stack>
)

function DataForm({ org }: { org: Organization }) {
  const t = useTexts(words)
  const form = useForm('orgs.update', () => valuesOf(org), {
    input: (values) => ({ params: { id: org.id }, body: bodyOf(values) }),
    done: t.saved,
    onDone(saved) {
      form.reset(valuesOf(saved))
      void reloadSession()
    },
  })
  return (
    <Section title={t.data}>
      <Form form={form} action={t.save}>
        <OrgFields form={form} orgId={org.id} />
      </Form>
    </Section>
  )
}

const Transfer = ({ org }: { org: Organization }) => (
  <DialogButton label={useTexts(words).transfer} color="error" variant="outlined">
    {(close) => <TransferDialog org={org} onClose={close} />}
  </DialogButton>
)

function TransferDialog({ org, onClose }: { org: Organization; onClose: () => void }) {
  const t = useTexts(words)
  const members = useAll('orgs.members', { params: { orgId: org.id } })
  const others = members.data?.filter(({ isOwner }) => !isOwner) ?? []
  const form = useForm(
    'orgs.transfer',
    { userId: null as number | null },
    {
      input: ({ userId }) => ({ params: { id: org.id }, body: { userId: userId! } }),
      done: t.offered,
      onDone: onClose,
    },
  )
  const { value, onChange, label, error, required } = form.pick('userId', { label: t.newOwner })
  return (
    <FormDialog form={form} title={t.transfer} action={t.offer} maxWidth="xs" onClose={onClose}>
      <Typography>{t.transferText}</Typography>
      {members.data !== undefined && others.length === 0 ? (
        <Typography color="text.secondary">{t.alone}</Typography>
      ) : (
        <Autocomplete
          options={others}
          loading={members.isPending}
          value={others.find(({ userId }) => userId === value) ?? null}
          onChange={(_, member) => onChange(member?.userId ?? null)}
          getOptionLabel={({ nickname, roleName }) => `${nickname} (${roleName})`}
          getOptionKey={(member) => member.userId}
          isOptionEqualToValue={(a, b) => a.userId === b.userId}
          renderInput={(input) => (
            <TextField {...input} label={label} required={required} error={error !== undefined} helperText={error} />
          )}
        />
      )}
    </FormDialog>
  )
}

function DissolveOwn({ org }: { org: Organization }) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const [isOpened, setOpened] = useState(false)
  const stats = useCall('orgs.stats', { params: { id: org.id } }, { enabled: isOpened })
  const action = useAction('orgs.dissolve', {
    done: t.dissolved,
    quiet: true,
    refreshes: [],
    onDone: () => void reloadSession().then(() => navigate('/orgs', { replace: true })),
  })
  return (
    <Dissolve
      org={org}
      // If they cannot be read, the server still refuses to dissolve an organization that owns something.
      resources={stats.isError ? [] : stats.data?.resources}
      action={action}
      onOpen={() => setOpened(true)}
      onConfirm={() => action.mutate({ params: { id: org.id }, query: { force: true } })}
    />
  )
}
