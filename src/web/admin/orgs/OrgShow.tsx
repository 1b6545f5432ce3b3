/** The page of an organization: its data, members with roles, transfer, dissolution, and the changes by administrators. */

import { Edit, SwapHoriz } from '@mui/icons-material'
import { Button, Stack, Typography } from '@mui/material'
import { Link, useNavigate, useParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import { useAll } from '../../api/pages.ts'
import type { AdminOrganizationDetail } from '../../api/types.ts'
import { Dissolve } from '../../areas/orgs/Dissolve.tsx'
import { useEnum } from '../../i18n/enums.ts'
import { dateTime, labelled, number } from '../../i18n/format.ts'
import { resourceWords } from '../../i18n/resource-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { History } from '../../ui/History.tsx'
import { PageAnswer } from '../../ui/NotFound.tsx'
import { MEMBERSHIP_REFRESHES } from '../../ui/org-roles.tsx'
import { Facts, Section } from '../../ui/parts.tsx'
import { Portrait } from '../../ui/Portrait.tsx'
import { EnumStatus } from '../../ui/Status.tsx'
import { TabbedPage } from '../../ui/TabbedPage.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { UserLink } from '../../ui/UserLink.tsx'
import { OrgMembers } from './OrgMembers.tsx'

const words = texts({
  en: {
    data: 'Data',
    members: 'Members',
    history: 'History',
    edit: 'Edit',
    number: 'Number',
    name: 'Name',
    description: 'Description',
    code: 'Code for joining',
    owner: 'Owner',
    visibility: 'Visibility',
    joining: 'Joining',
    limit: 'Members',
    ofLimit: (n: number, limit: number) => `${number(n)} of at most ${number(limit)}`,
    created: 'Created',
    changed: 'Changed',
    transferOpen: 'Open offer of ownership',
    things: 'Owns',
    nothing: 'Nothing',
    transfer: 'Transfer',
    transferTitle: 'Transfer the organization',
    transferText:
      'The member becomes the owner at once, without being asked. The former owner stays a member with the role of an administrator.',
    newOwner: 'New owner',
    transferred: 'The organization has a new owner.',
    dissolved: 'The organization is dissolved.',
  },
  zh: {
    data: '资料',
    members: '成员',
    history: '历史记录',
    edit: '编辑',
    number: '编号',
    name: '名称',
    description: '说明',
    code: '组织码',
    owner: '所有者',
    visibility: '可见范围',
    joining: '加入方式',
    limit: '成员',
    ofLimit: (n: number, limit: number) => `${number(n)} 人，上限 ${number(limit)} 人`,
    created: '创建时间',
    changed: '更新时间',
    transferOpen: '待接受的转让',
    things: '拥有',
    nothing: '无',
    transfer: '转让',
    transferTitle: '转让组织',
    transferText: '该成员立即成为所有者，无需对方同意。原所有者以管理员角色保留为成员。',
    newOwner: '新所有者',
    transferred: '组织已有新的所有者。',
    dissolved: '组织已解散。',
  },
})

export default function OrgShow() {
  const orgId = Number(useParams().id)
  const query = useCall('admin.orgs.get', { params: { orgId } })
  return <PageAnswer query={query}>{(org) => <Shown org={org} />}</PageAnswer>
}

function Shown({ org }: { org: AdminOrganizationDetail }) {
  const t = useTexts(words)
  const may = useMay()
  return (
    <TabbedPage
      title={org.name}
      back="/admin/orgs"
      actions={
        <>
          {may('admin.orgs.update') && (
            <Button variant="contained" startIcon={<Edit />} component={Link} to={`/admin/orgs/${org.id}`}>
              {t.edit}
            </Button>
          )}
          {may('admin.orgs.transfer') && org.memberCount > 1 && (
            <DialogButton label={t.transfer} icon={<SwapHoriz />} variant="outlined">
              {(close) => <TransferDialog org={org} onClose={close} />}
            </DialogButton>
          )}
          <DissolveAny org={org} />
        </>
      }
      head={
        <Stack direction="row" spacing={2} sx={{ alignItems: 'center', mb: 2 }}>
          <Portrait name={org.name} url={org.avatarUrl} size={56} isOrganization />
          <EnumStatus of="orgStatus" value={org.status} />
        </Stack>
      }
      tabs={[
        { key: 'data', label: t.data, content: <Data org={org} /> },
        { key: 'members', label: t.members, content: <OrgMembers org={org} /> },
        {
          key: 'history',
          label: t.history,
          isShown: may('operationLog.list'),
          content: (
            <Section>
              <History targetType="ORG" targetId={org.id} />
            </Section>
          ),
        },
      ]}
    />
  )
}

function Data({ org }: { org: AdminOrganizationDetail }) {
  const t = useTexts(words)
  const visibilityOf = useEnum('orgVisibility')
  const policyOf = useEnum('joinPolicy')
  const resources = useTexts(resourceWords)
  const owned = org.resources.filter(({ count }) => count > 0)
  return (
    <Section>
      <Facts
        items={[
          [t.number, org.id],
          [t.description, org.description],
          [t.code, org.code],
          [
            t.owner,
            <UserLink key="owner" id={org.owner.userId} nickname={org.owner.nickname} username={org.owner.username} />,
          ],
          [t.transferOpen, org.pendingTransfer === null ? null : <UserLink key="to" id={org.pendingTransfer.userId} />],
          [t.visibility, visibilityOf(org.visibility)],
          [t.joining, policyOf(org.joinPolicy)],
          [t.limit, t.ofLimit(org.memberCount, org.memberLimit)],
          [
            t.things,
            owned.length === 0
              ? t.nothing
              : owned.map(({ name, count }) => labelled(resources[name] ?? name, number(count))).join(' · '),
          ],
          [t.created, dateTime(org.createdAt)],
          [t.changed, dateTime(org.updatedAt)],
        ]}
      />
    </Section>
  )
}

function TransferDialog({ org, onClose }: { org: AdminOrganizationDetail; onClose: () => void }) {
  const t = useTexts(words)
  const members = useAll('admin.orgs.members', { params: { orgId: org.id } })
  const form = useForm(
    'admin.orgs.transfer',
    { userId: null as number | null },
    {
      done: t.transferred,
      refreshes: MEMBERSHIP_REFRESHES,
      input: ({ userId }) => ({ params: { orgId: org.id }, body: { userId: userId! } }),
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.transferTitle} action={t.transfer} maxWidth="xs" onClose={onClose}>
      <Typography>{t.transferText}</Typography>
      <ChoiceField
        {...form.pick('userId', { label: t.newOwner })}
        choices={(members.data ?? [])
          .filter(({ isOwner }) => !isOwner)
          .map(({ userId: id, nickname, roleName }) => ({ id, name: `${nickname} (${roleName})` }))}
      />
    </FormDialog>
  )
}

function DissolveAny({ org }: { org: AdminOrganizationDetail }) {
  const t = useTexts(words)
  const may = useMay()
  const navigate = useNavigate()
  const action = useAction('admin.orgs.dissolve', {
    done: t.dissolved,
    quiet: true,
    refreshes: ['admin.orgs.list', 'operationLog'],
    onDone: () => void navigate('/admin/orgs', { replace: true }),
  })
  if (!may('admin.orgs.dissolve')) return null
  return (
    <Dissolve
      org={org}
      resources={org.resources}
      action={action}
      onConfirm={() => action.mutate({ params: { orgId: org.id }, query: { force: true } })}
    />
  )
}
