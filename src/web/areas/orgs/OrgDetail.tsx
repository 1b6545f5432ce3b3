/** The page of an organization: its data and code for members, the way to join for others. */

import { Alert, Button, Chip, Stack } from '@mui/material'
import { Link as RouterLink, useLocation, useParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { Organization } from '../../api/types.ts'
import { date } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useRecent } from '../../session/recent.ts'
import { reloadSession, useMay, useSession } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { PageAnswer } from '../../ui/NotFound.tsx'
import { Nothing, part } from '../../ui/part.tsx'
import { Portrait } from '../../ui/Portrait.tsx'
import { TabbedPage } from '../../ui/TabbedPage.tsx'
import { Joining } from './Joining.tsx'
import { Locations } from './Locations.tsx'
import { Members } from './Members.tsx'
import { OrgSettings } from './OrgSettings.tsx'
import { Overview } from './Overview.tsx'
import { Shares } from './Shares.tsx'
import { useIsWorkspace, useSwitch } from './workspace.ts'

/** Few look at it. */
const Roles = part(() => import('./Roles.tsx'), Nothing)

const words = texts({
  en: {
    overview: 'Overview',
    members: 'Members',
    roles: 'Roles',
    joining: 'Joining',
    joiningOf: (n: number) => `Joining (${n})`,
    locations: 'Locations',
    shares: 'Shared copies',
    settings: 'Settings',
    workspace: 'Current workspace',
    open: 'Work here',
    welcome: (name: string) => `Choose “Work here” to see and make codes, assets and activities of “${name}”.`,
    disabled: 'This organization is disabled. Its things can be seen, but not changed.',
    locked:
      'This organization requires a second factor of its members. To get in, set up an authenticator app, or have every sign-in ask for a passkey.',
    setUp: 'Set up',
    offer: (until: string) =>
      `The owner offers you this organization until ${until}. If you accept, you own it at once, and the former owner becomes an administrator.`,
    accept: 'Become the owner',
    decline: 'Decline',
    accepted: 'You own the organization now.',
    declined: 'You have declined the offer.',
    offered: (name: string, until: string) => `Offered to ${name} until ${until}.`,
    withdraw: 'Withdraw the offer',
    withdrawText: 'You stay the owner. The member can no longer accept.',
    withdrawn: 'The offer is withdrawn.',
  },
  zh: {
    overview: '概览',
    members: '成员',
    roles: '角色',
    joining: '加入',
    joiningOf: (n: number) => `加入（${n}）`,
    locations: '位置',
    shares: '共享副本',
    settings: '设置',
    workspace: '当前工作区',
    open: '切换到此组织',
    welcome: (name: string) => `点“切换到此组织”，即可查看和创建“${name}”的二维码、资产和活动。`,
    disabled: '该组织已停用，只能查看，不能更改。',
    locked: '该组织要求成员启用第二重验证。请设置身份验证器，或将通行密钥设为每次登录都要求使用，之后即可查看其内容。',
    setUp: '设置',
    offer: (until: string) => `所有者想把该组织转让给你，${until}前有效。接受后你立即成为所有者，原所有者变为管理员。`,
    accept: '成为所有者',
    decline: '拒绝',
    accepted: '你已成为该组织的所有者。',
    declined: '你已拒绝转让。',
    offered: (name: string, until: string) => `已向 ${name} 发起转让，${until}前有效。`,
    withdraw: '撤回转让',
    withdrawText: '你仍是所有者，对方将无法再接受。',
    withdrawn: '已撤回转让。',
  },
})

export default function OrgDetail() {
  const id = Number(useParams().id)
  const query = useCall('orgs.get', { params: { id } })
  return <PageAnswer query={query}>{(org) => <Shown key={org.id} org={org} />}</PageAnswer>
}

function Shown({ org }: { org: Organization }) {
  const t = useTexts(words)
  const may = useMay()
  useRecent('organization', org.name)
  const isMember = org.ownerId !== null
  const stats = useCall('orgs.stats', { params: { id: org.id } }, { enabled: may('orgs.stats', org) })
  const waiting = may('orgs.pending', org) ? (stats.data?.pendingRequests ?? 0) : 0
  return (
    <TabbedPage
      title={org.name}
      back="/orgs"
      actions={isMember && !isLockedOut(org) && <Workspace org={org} />}
      head={<Head org={org} />}
      tabs={[
        { key: 'overview', label: t.overview, content: <Overview org={org} stats={stats.data} /> },
        {
          key: 'members',
          label: t.members,
          isShown: may('orgs.members', org),
          content: <Members org={org} />,
        },
        { key: 'roles', label: t.roles, isShown: may('orgs.roles', org), content: <Roles org={org} /> },
        {
          key: 'joining',
          label: waiting > 0 ? t.joiningOf(waiting) : t.joining,
          isShown: may('orgs.pending', org) || may('orgs.invitations', org) || may('orgs.invite', org),
          content: <Joining org={org} />,
        },
        {
          key: 'locations',
          label: t.locations,
          isShown: may('locations.tree', org),
          content: <Locations org={org} />,
        },
        { key: 'shares', label: t.shares, isShown: may('shares.list', org), content: <Shares org={org} /> },
        { key: 'settings', label: t.settings, isShown: isMember, content: <OrgSettings org={org} /> },
      ]}
    />
  )
}

/** Members without the second factor that the organization requires see no more than its name. */
const isLockedOut = ({ requireSecondFactor, ownerId, permissions }: Organization): boolean =>
  requireSecondFactor && ownerId !== null && permissions.length === 0

function Workspace({ org }: { org: Organization }) {
  const t = useTexts(words)
  const isWorkspace = useIsWorkspace(org.id)
  const change = useSwitch()
  if (isWorkspace) return <Chip color="primary" variant="outlined" label={t.workspace} />
  return (
    <Button variant="contained" onClick={() => change(org)}>
      {t.open}
    </Button>
  )
}

/** Picture, and the notices about the state of the organization. */
function Head({ org }: { org: Organization }) {
  const t = useTexts(words)
  const { user } = useSession()
  const { state } = useLocation() as { state: { isNew?: boolean } | null }
  const isWorkspace = useIsWorkspace(org.id)
  const { pendingTransfer: offer } = org
  return (
    <Stack spacing={1.5} sx={{ mb: 1 }}>
      {org.avatarUrl !== null && <Portrait name={org.name} url={org.avatarUrl} size={64} isOrganization />}
      {isLockedOut(org) && (
        <Alert
          severity="warning"
          action={
            <Button component={RouterLink} to="/account/security" color="inherit" sx={{ whiteSpace: 'nowrap' }}>
              {t.setUp}
            </Button>
          }
        >
          {t.locked}
        </Alert>
      )}
      {org.status === 'DISABLED' && <Alert severity="warning">{t.disabled}</Alert>}
      {state?.isNew && !isWorkspace && <Alert severity="success">{t.welcome(org.name)}</Alert>}
      {offer !== null && offer.userId === user.id && <Offer org={org} until={offer.expiresAt} />}
      {offer !== null && offer.userId !== user.id && (
        <Alert
          severity="info"
          action={
            <ActionButton
              operation="orgs.withdrawTransfer"
              org={org}
              input={{ params: { id: org.id } }}
              label={t.withdraw}
              title={t.withdraw}
              text={t.withdrawText}
              done={t.withdrawn}
            />
          }
        >
          {t.offered(offer.nickname, date(offer.expiresAt))}
        </Alert>
      )}
    </Stack>
  )
}

function Offer({ org, until }: { org: Organization; until: number }) {
  const t = useTexts(words)
  const answer = useAction('orgs.answerTransfer', { done: t.accepted, onDone: () => void reloadSession() })
  const decline = useAction('orgs.answerTransfer', { done: t.declined })
  return (
    <Alert severity="info">
      {t.offer(date(until))}
      <Stack direction="row" spacing={1} sx={{ mt: 1 }}>
        <Button
          variant="contained"
          loading={answer.isPending}
          onClick={() => answer.mutate({ params: { id: org.id }, body: { accept: true } })}
        >
          {t.accept}
        </Button>
        <Button
          color="error"
          loading={decline.isPending}
          onClick={() => decline.mutate({ params: { id: org.id }, body: { accept: false } })}
        >
          {t.decline}
        </Button>
      </Stack>
    </Alert>
  )
}
