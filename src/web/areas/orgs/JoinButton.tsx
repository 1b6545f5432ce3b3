/** The button with which a user joins a public organization. Members, users with a request and organizations by invitation see that instead. */

import { Button, Stack, TextField, Typography } from '@mui/material'
import { useEffect, useEffectEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import { useAll } from '../../api/pages.ts'
import type { DataOf, PublicOrganization } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { common } from '../../i18n/common.ts'
import { relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession, useMay, useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    ...common.en,
    join: 'Join',
    joinOf: (name: string) => `Join ${name}`,
    ask: 'Ask to join',
    askOf: (name: string) => `Ask to join ${name}`,
    messageHelp: 'Say who you are. Only those who decide about requests see it.',
    send: 'Send request',
    sent: 'Your request was sent. You will be notified of the answer.',
    asked: (when: string) => `You asked to join ${when}`,
    withdraw: 'Withdraw',
    withdrawOf: (name: string) => `Withdraw the request to ${name}`,
    withdrawn: 'Your request is withdrawn.',
    invitation: 'By invitation only',
    openOf: (name: string) => `Open ${name}`,
    joined: (name: string) => `You are now a member of “${name}”.`,
  },
  zh: {
    ...common.zh,
    join: '加入',
    joinOf: (name: string) => `加入${name}`,
    ask: '申请加入',
    askOf: (name: string) => `申请加入${name}`,
    messageHelp: '请说明你是谁。仅审批人可见。',
    send: '发送申请',
    sent: '申请已发送，有结果时会通知你。',
    asked: (when: string) => `${when}申请加入`,
    withdraw: '撤回',
    withdrawOf: (name: string) => `撤回对${name}的申请`,
    withdrawn: '申请已撤回。',
    invitation: '仅限邀请',
    openOf: (name: string) => `打开${name}`,
    joined: (name: string) => `你已成为“${name}”的成员。`,
  },
})

type Target = Pick<PublicOrganization, 'id' | 'name' | 'joinPolicy'>

export interface JoinButtonProps {
  org: Target
  isLarge?: boolean
  /** True: the user has created the account to join, and is not asked again. */
  joins?: boolean
}

export function JoinButton({ org, isLarge = false, joins = false }: JoinButtonProps) {
  const t = useTexts(words)
  const may = useMay()
  const navigate = useNavigate()
  const { orgs } = useSession()
  const [isAsking, setAsking] = useState(false)
  const requests = useAll('orgs.myRequests')
  const onApplied = async ({ status, orgId, orgName }: DataOf<'orgs.apply'>) => {
    if (status === 'PENDING') return notify(t.sent, 'success')
    await reloadSession()
    notify(t.joined(orgName), 'success')
    await navigate(`/orgs/${orgId}`, { state: { isNew: true } })
  }
  const apply = useAction('orgs.apply', { onDone: (answer) => void onApplied(answer) })
  const withdraw = useAction('orgs.withdrawRequest', { done: t.withdrawn })
  const size = isLarge ? 'large' : 'medium'
  const isMember = orgs.some(({ id }) => id === org.id)
  const request = requests.data?.find(({ orgId }) => orgId === org.id)
  const canApply =
    requests.data !== undefined &&
    !isMember &&
    request === undefined &&
    org.joinPolicy !== 'INVITE' &&
    may('orgs.apply')
  const join = useEffectEvent(async () => {
    // Only once, also if the page is loaded again after the request was withdrawn.
    await navigate({ search: location.search }, { replace: true, state: null })
    apply.mutate({ params: { id: org.id } })
  })
  useEffect(() => {
    if (joins && canApply) void join()
  }, [joins, canApply])

  if (isMember)
    return (
      <Button component={Link} to={`/orgs/${org.id}`} variant="outlined" size={size} aria-label={t.openOf(org.name)}>
        {t.open}
      </Button>
    )
  if (request !== undefined)
    return (
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
        <Typography variant="body2" color="text.secondary">
          {t.asked(relativeTime(request.createdAt))}
        </Typography>
        <Button
          color="error"
          aria-label={t.withdrawOf(org.name)}
          loading={withdraw.isPending}
          onClick={() => withdraw.mutate({ params: { id: org.id } })}
        >
          {t.withdraw}
        </Button>
      </Stack>
    )
  if (org.joinPolicy === 'INVITE')
    return (
      <Typography variant="body2" color="text.secondary">
        {t.invitation}
      </Typography>
    )
  if (!may('orgs.apply')) return null
  const isFree = org.joinPolicy === 'FREE'
  return (
    <>
      <Button
        variant="contained"
        size={size}
        aria-label={isFree ? t.joinOf(org.name) : t.askOf(org.name)}
        loading={apply.isPending}
        onClick={() => (isFree ? apply.mutate({ params: { id: org.id } }) : setAsking(true))}
      >
        {isFree ? t.join : t.ask}
      </Button>
      {isAsking && (
        <AskDialog org={org} onClose={() => setAsking(false)} onApplied={(answer) => void onApplied(answer)} />
      )}
    </>
  )
}

interface AskDialogProps {
  org: Target
  onClose: () => void
  onApplied: (answer: DataOf<'orgs.apply'>) => void
}

function AskDialog({ org, onClose, onApplied }: AskDialogProps) {
  const t = useTexts(words)
  const form = useForm(
    'orgs.apply',
    { message: '' },
    {
      input: (body) => ({ params: { id: org.id }, body }),
      onDone(answer) {
        onClose()
        onApplied(answer)
      },
    },
  )
  return (
    <FormDialog form={form} title={t.askOf(org.name)} action={t.send} maxWidth="xs" onClose={onClose}>
      <TextField {...form.text('message', { help: t.messageHelp })} multiline minRows={3} />
    </FormDialog>
  )
}
