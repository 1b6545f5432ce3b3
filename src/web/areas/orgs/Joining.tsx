/** How an organization gets members: requests to decide about, and invitations. */

import { MailOutlined, PersonAdd } from '@mui/icons-material'
import { Button, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { Invitation, InvitationStatus, JoinRequest, Organization } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { date, relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { EmptyState } from '../../ui/Answer.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { Section } from '../../ui/parts.tsx'
import { Named } from '../../ui/Portrait.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { InviteDialog } from './InviteDialog.tsx'
import { InviteMails } from './InviteMails.tsx'
import { RoleField, useMayGiveRoles } from './RoleField.tsx'

const words = texts({
  en: {
    ...common.en,
    requests: 'Requests to join',
    noRequests: 'No pending requests.',
    asked: (when: string) => `Requested ${when}`,
    approve: 'Approve',
    approveOf: (name: string) => `Approve ${name}`,
    approved: 'The user is a member now and was notified.',
    as: 'Choose the role',
    asOf: (name: string) => `Approve ${name} with a role`,
    refuse: 'Decline',
    refuseOf: (name: string) => `Decline ${name}`,
    refuseTitle: (name: string) => `Decline the request of ${name}?`,
    reasonHelp: 'Shown to the person who asked. They can ask again.',
    refused: 'The request was declined.',
    invitations: 'Invitations',
    invite: 'Invite',
    inviteByMail: 'Invite by mail',
    show: 'Show',
    none: 'No invitations yet',
    noneText: 'Invite people by their name, e-mail address or phone number. They can accept for 7 days.',
    noneOf: 'No invitation has this state.',
    by: (inviter: string, day: string) => `Invited by ${inviter}, ${day}`,
    withRole: (role: string) => `Role: ${role}`,
    withdraw: 'Withdraw',
    withdrawOf: (name: string) => `Withdraw the invitation of ${name}`,
    withdrawTitle: (name: string) => `Withdraw the invitation of ${name}?`,
    withdrawText: 'The invitation can no longer be accepted. You can invite the person again.',
    withdrawn: 'The invitation is withdrawn.',
    states: {
      PENDING: 'Open',
      ACCEPTED: 'Accepted',
      REJECTED: 'Declined',
      CANCELLED: 'Withdrawn',
      EXPIRED: 'Expired',
    },
  },
  zh: {
    ...common.zh,
    requests: '加入申请',
    noRequests: '没有待处理的申请。',
    asked: (when: string) => `${when}申请`,
    approve: '同意',
    approveOf: (name: string) => `同意${name}`,
    approved: '对方已成为成员，并收到通知。',
    as: '选择角色',
    asOf: (name: string) => `同意${name}并选择角色`,
    refuse: '拒绝',
    refuseOf: (name: string) => `拒绝${name}`,
    refuseTitle: (name: string) => `拒绝${name}的申请？`,
    reasonHelp: '申请人可以看到，并可再次申请。',
    refused: '已拒绝申请。',
    invitations: '邀请',
    invite: '邀请成员',
    inviteByMail: '通过邮件邀请',
    show: '显示',
    none: '还没有邀请',
    noneText: '可以按名称、邮箱或手机号邀请他人，对方可在 7 天内接受。',
    noneOf: '没有此状态的邀请。',
    by: (inviter: string, day: string) => `${inviter} 于${day}邀请`,
    withRole: (role: string) => `角色：${role}`,
    withdraw: '撤回',
    withdrawOf: (name: string) => `撤回对${name}的邀请`,
    withdrawTitle: (name: string) => `撤回对${name}的邀请？`,
    withdrawText: '对方将无法再接受。你可以再次邀请。',
    withdrawn: '邀请已撤回。',
    states: {
      PENDING: '待接受',
      ACCEPTED: '已接受',
      REJECTED: '已拒绝',
      CANCELLED: '已撤回',
      EXPIRED: '已过期',
    },
  },
})

export function Joining({ org }: { org: Organization }) {
  const may = useMay()
  return (
    <>
      {may('orgs.pending', org) && <Requests org={org} />}
      <Invitations org={org} />
    </>
  )
}

function Requests({ org }: { org: Organization }) {
  const t = useTexts(words)
  const query = usePages('orgs.pending', { params: { id: org.id } })
  return (
    <Section title={t.requests}>
      <Rows query={query} label={t.requests} keyOf={({ userId }) => userId} empty={t.noRequests}>
        {(request) => <RequestRow org={org} request={request} />}
      </Rows>
    </Section>
  )
}

function RequestRow({ org, request }: { org: Organization; request: JoinRequest }) {
  const t = useTexts(words)
  const may = useMay()
  const { userId, nickname, avatarUrl, message, createdAt } = request
  const approve = useAction('orgs.approve', { done: t.approved })
  const mayGiveRoles = useMayGiveRoles(org)
  return (
    <Row
      title={
        <Named
          name={nickname}
          url={avatarUrl}
          details={
            <>
              {t.asked(relativeTime(createdAt))}
              {message !== '' && (
                <Typography variant="body2" color="text.primary" sx={{ whiteSpace: 'pre-line' }}>
                  {message}
                </Typography>
              )}
            </>
          }
        />
      }
      actions={
        may('orgs.approve', org) && (
          <>
            <DialogButton label={t.refuse} aria-label={t.refuseOf(nickname)} color="error" variant="text">
              {(close) => <RefuseDialog org={org} request={request} onClose={close} />}
            </DialogButton>
            {mayGiveRoles && (
              <DialogButton label={t.as} aria-label={t.asOf(nickname)} variant="text">
                {(close) => <ApproveDialog org={org} request={request} onClose={close} />}
              </DialogButton>
            )}
            <Button
              variant="contained"
              aria-label={t.approveOf(nickname)}
              loading={approve.isPending}
              onClick={() => approve.mutate({ params: { id: org.id }, body: { userId, approve: true } })}
            >
              {t.approve}
            </Button>
          </>
        )
      }
    />
  )
}

interface DecisionProps {
  org: Organization
  request: JoinRequest
  onClose: () => void
}

function ApproveDialog({ org, request: { userId, nickname }, onClose }: DecisionProps) {
  const t = useTexts(words)
  const form = useForm(
    'orgs.approve',
    { roleId: null as number | null },
    {
      input: ({ roleId }) => ({
        params: { id: org.id },
        body: { userId, approve: true, ...(roleId !== null && { roleId }) },
      }),
      done: t.approved,
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.asOf(nickname)} action={t.approve} maxWidth="xs" onClose={onClose}>
      <RoleField org={org} {...form.pick('roleId')} isNewMember />
    </FormDialog>
  )
}

function RefuseDialog({ org, request: { userId, nickname }, onClose }: DecisionProps) {
  const t = useTexts(words)
  const form = useForm(
    'orgs.approve',
    { reason: '' },
    {
      input: ({ reason }) => ({ params: { id: org.id }, body: { userId, approve: false, reason } }),
      done: t.refused,
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.refuseTitle(nickname)} action={t.refuse} maxWidth="xs" onClose={onClose}>
      <TextField {...form.text('reason', { help: t.reasonHelp })} multiline minRows={2} />
    </FormDialog>
  )
}

function Invitations({ org }: { org: Organization }) {
  const t = useTexts(words)
  const may = useMay()
  const [status, setStatus] = useState<InvitationStatus | null>(null)
  const query = usePages(
    'orgs.invitations',
    { params: { id: org.id }, ...(status !== null && { query: { status } }) },
    { enabled: may('orgs.invitations', org) },
  )
  const invite = may('orgs.invite', org) && (
    <>
      <DialogButton label={t.invite} icon={<PersonAdd />} data-create>
        {(close) => <InviteDialog org={org} onClose={close} />}
      </DialogButton>
      <DialogButton label={t.inviteByMail} icon={<MailOutlined />} variant="outlined">
        {(close) => <InviteMails org={org} onClose={close} />}
      </DialogButton>
    </>
  )
  return (
    <Section title={t.invitations} actions={invite}>
      {may('orgs.invitations', org) && (
        <>
          {(status !== null || (query.items?.length ?? 0) > 0) && (
            <ChoiceField
              label={t.show}
              value={status}
              onChange={setStatus}
              choices={Object.entries(t.states).map(([id, name]) => ({ id, name }))}
              none={t.all}
              sx={{ minWidth: 160, mb: 1 }}
            />
          )}
          <Rows
            query={query}
            label={t.invitations}
            keyOf={({ id }) => id}
            empty={status === null ? <EmptyState icon={MailOutlined} title={t.none} text={t.noneText} /> : t.noneOf}
          >
            {(invitation) => <InvitationRow org={org} invitation={invitation} />}
          </Rows>
        </>
      )}
    </Section>
  )
}

function InvitationRow({ org, invitation }: { org: Organization; invitation: Invitation }) {
  const t = useTexts(words)
  const { id, inviterNickname, status, roleId, roleName, createdAt } = invitation
  const name = invitation.inviteeNickname ?? invitation.target ?? ''
  return (
    <Row
      title={
        <Named
          name={name}
          url={null}
          details={[
            t.states[status],
            t.by(inviterNickname, date(createdAt)),
            ...(roleId === null ? [] : [t.withRole(roleName)]),
          ].join(' · ')}
        />
      }
      actions={
        status === 'PENDING' && (
          <ActionButton
            operation="orgs.cancelInvitation"
            org={org}
            input={{ params: { id: org.id, invitationId: id } }}
            label={t.withdraw}
            name={t.withdrawOf(name)}
            title={t.withdrawTitle(name)}
            text={t.withdrawText}
            done={t.withdrawn}
          />
        )
      }
    />
  )
}
