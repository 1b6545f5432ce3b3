/** The button with which a user joins a public organization. Members, users with a request and organizations by invitation see that instead. */

import { Button, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import { useAll } from '../../api/pages.ts'
import type { PublicOrganization } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { common } from '../../i18n/common.ts'
import { relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession, useMay, useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'

const words = texts({
  en: {
    ...common.en,
    join: 'Join',
    joinOf: (name: string) => `Join ${name}`,
    ask: 'Ask to join',
    askOf: (name: string) => `Ask to join ${name}`,
    message: 'Message',
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
    message: '留言',
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

export function JoinButton({ org, isLarge = false }: { org: Target; isLarge?: boolean }) {
  const t = useTexts(words)
  const may = useMay()
  const navigate = useNavigate()
  const { orgs } = useSession()
  const [isAsking, setAsking] = useState(false)
  const [message, setMessage] = useState('')
  const requests = useAll('orgs.myRequests')
  const apply = useAction('orgs.apply', {
    quiet: isAsking,
    onDone: ({ status, orgId, orgName }) => {
      setAsking(false)
      if (status === 'PENDING') notify(t.sent, 'success')
      else void enter(orgId, orgName)
    },
  })
  const enter = async (id: number, name: string) => {
    await reloadSession()
    notify(t.joined(name), 'success')
    await navigate(`/orgs/${id}`, { state: { isNew: true } })
  }
  const withdraw = useAction('orgs.withdrawRequest', { done: t.withdrawn })
  const size = isLarge ? 'large' : 'medium'

  if (orgs.some(({ id }) => id === org.id))
    return (
      <Button component={Link} to={`/orgs/${org.id}`} variant="outlined" size={size} aria-label={t.openOf(org.name)}>
        {t.open}
      </Button>
    )
  const request = requests.data?.find(({ orgId }) => orgId === org.id)
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
        loading={apply.isPending && !isAsking}
        onClick={() => {
          apply.reset()
          if (isFree) apply.mutate({ params: { id: org.id } })
          else setAsking(true)
        }}
      >
        {isFree ? t.join : t.ask}
      </Button>
      <FormDialog
        isOpen={isAsking}
        title={t.askOf(org.name)}
        action={t.send}
        maxWidth="xs"
        isBusy={apply.isPending}
        error={apply.error}
        onSubmit={() => apply.mutate({ params: { id: org.id }, body: { message: message.trim() } })}
        onClose={() => setAsking(false)}
      >
        <TextField
          label={t.message}
          helperText={apply.error?.problem('message') ?? t.messageHelp}
          error={apply.error?.problem('message') !== undefined}
          multiline
          minRows={3}
          value={message}
          onChange={({ target }) => setMessage(target.value)}
        />
      </FormDialog>
    </>
  )
}
