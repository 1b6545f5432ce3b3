/** Invites people to an activity: by their addresses, or by a number of links to pass on. */

import { ContentCopy } from '@mui/icons-material'
import { Alert, Button, FormControlLabel, Radio, RadioGroup, TextField, Typography } from '@mui/material'
import { useRef, useState } from 'react'

import { newId } from '../../../api/new-id.ts'
import type { Activity, ActivityInvitation } from '../../../api/types.ts'
import { labelled, number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useSession } from '../../../session/session.ts'
import { useCopy } from '../../../ui/copy.ts'
import { FormDialog, NoticeDialog } from '../../../ui/dialogs.tsx'
import { CheckField, NumberField } from '../../../ui/fields.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { peopleOf } from './people.ts'
import { invitationWords } from './words.ts'

const words = texts({
  en: {
    title: 'Invite people',
    how: 'How to invite',
    people: 'People, by address or name',
    links: 'A number of links to pass on',
    lines: 'Addresses or names, one on each line',
    linesHelp: (n: string) => `${n} invitations. Also: Lin Mei <lin@example.org>`,
    tooMany: 'At most 1,000 at once.',
    count: 'Number of links',
    send: 'Send mails',
    sendHelp: 'To everyone with an address. Each mail has a link that ends all invitations to it.',
    draft: 'The activity is a draft: publish it to send mails. You can make links now.',
    noMail: 'This server sends no mails. Pass on the links yourself.',
    text: 'Your words (optional)',
    textHelp: 'Plain text; addresses of web pages are no links',
    expiresAt: 'Valid until (optional)',
    overCapacity: 'Give a place even if all are taken',
    action: 'Invite',
    made: (n: number) => (n === 1 ? '1 invitation is made' : `${number(n)} invitations are made`),
    mailed: (n: string) => `Mails on their way: ${n}.`,
    skipped: (n: string) => `Not mailed: ${n}. The list says why.`,
    all: 'Links',
    copyAll: 'Copy all',
    once: 'Each link is for one registration.',
  },
  zh: {
    title: '邀请',
    how: '邀请方式',
    people: '按邮箱或姓名邀请',
    links: '生成若干链接自行分发',
    lines: '邮箱或姓名，每行一个',
    linesHelp: (n: string) => `共 ${n} 个邀请，也可写成：林梅 <lin@example.org>`,
    tooMany: '一次最多 1000 个。',
    count: '链接数量',
    send: '发送邮件',
    sendHelp: '发送给所有填写了邮箱的人。每封邮件都带有停止接收邀请的链接。',
    draft: '活动还是草稿，发布后才能发送邮件，现在可以先生成链接。',
    noMail: '服务器未配置邮件，请自行分发链接。',
    text: '附言（可不填）',
    textHelp: '纯文本，其中的网址不会成为链接',
    expiresAt: '有效期至（可不填）',
    overCapacity: '名额已满时仍可报名',
    action: '邀请',
    made: (n: number) => `已创建 ${number(n)} 个邀请`,
    mailed: (n: string) => `正在发送邮件：${n} 封。`,
    skipped: (n: string) => `未发送：${n} 封，原因见列表。`,
    all: '链接',
    copyAll: '全部复制',
    once: '每个链接仅可用于一次报名。',
  },
})

/** Invitations that the server makes in one request. */
const MAX_ITEMS = 1000
/** Refusals that are shown below the field. */
const SHOWN_PROBLEMS = 3

interface Props {
  activity: Activity
  onClose: () => void
}

export default function InviteDialog({ activity, onClose }: Props) {
  const t = useTexts(words)
  const { mailAvailable } = useSession().user
  const [made, setMade] = useState<readonly ActivityInvitation[]>()
  const request = useRef({ asked: '', id: '' })
  const isActive = activity.status === 'ACTIVE'
  const mayMail = mailAvailable && isActive
  const form = useForm(
    'activityInvitations.create',
    {
      how: 'people' as 'people' | 'links',
      lines: '',
      count: 10 as number | null,
      // By default, servers mail no invitations to personal activities.
      send: mayMail && activity.ownerType === 'ORGANIZATION',
      text: '',
      expiresAt: null as number | null,
      overCapacity: false,
    },
    {
      refreshes: ['activityInvitations'],
      onDone: ({ items }) => setMade(items),
      paths: { lines: 'items' },
      input({ how, lines, count, ...given }) {
        const body = { ...given, ...(how === 'people' ? { items: peopleOf(lines) } : { count }) }
        // A repeated request is answered with the invitations of the first one. A form that was changed is another request.
        const asked = JSON.stringify(body)
        if (request.current.asked !== asked) request.current = { asked, id: newId() }
        return { params: { id: activity.id }, body: { ...body, requestId: request.current.id } }
      },
    },
  )
  if (made) return <Made invitations={made} onClose={onClose} />
  const { how, lines, send } = form.values
  const people = peopleOf(lines)
  const refused = people.flatMap(({ email, name }, i) => {
    const problem = form.problem(`items.${i}.email`)
    return problem === undefined ? [] : [labelled(String(email ?? name), problem)]
  })
  const problem = people.length > MAX_ITEMS ? t.tooMany : refused.slice(0, SHOWN_PROBLEMS).join('\n')
  return (
    <FormDialog form={form} title={t.title} action={t.action} onClose={onClose}>
      <RadioGroup
        aria-label={t.how}
        value={how}
        onChange={(_, value) => form.set({ how: value as 'people' | 'links' })}
      >
        <FormControlLabel value="people" control={<Radio />} label={t.people} />
        <FormControlLabel value="links" control={<Radio />} label={t.links} />
      </RadioGroup>
      {how === 'people' ? (
        <>
          <TextField
            {...form.text('lines', { label: t.lines })}
            multiline
            minRows={4}
            maxRows={12}
            required
            autoFocus
            error={problem !== ''}
            helperText={problem || t.linesHelp(number(people.length))}
            slotProps={{ formHelperText: { sx: { whiteSpace: 'pre-line' } } }}
          />
          {mayMail ? (
            <CheckField {...form.check('send', { label: t.send, help: t.sendHelp })} />
          ) : (
            <Alert severity="info">{mailAvailable ? t.draft : t.noMail}</Alert>
          )}
          {send && (
            <TextField {...form.text('text', { label: t.text, help: t.textHelp })} multiline minRows={2} maxRows={8} />
          )}
        </>
      ) : (
        <NumberField {...form.number('count', { label: t.count })} required />
      )}
      <TextField {...form.time('expiresAt', { label: t.expiresAt })} />
      {activity.registration?.capacity != null && (
        <CheckField {...form.check('overCapacity', { label: t.overCapacity })} isBox />
      )}
    </FormDialog>
  )
}

/** The new invitations, with all links as lines to paste elsewhere. */
function Made({ invitations, onClose }: { invitations: readonly ActivityInvitation[]; onClose: () => void }) {
  const t = useTexts(words)
  const names = useTexts(invitationWords)
  const copy = useCopy()
  const count = (state: string) => invitations.filter(({ mail }) => mail?.state === state).length
  const links = invitations
    .map(({ name, email, url }) => [name, email, url].filter((part) => part !== null).join('\t'))
    .join('\n')
  return (
    <NoticeDialog title={t.made(invitations.length)} onClose={onClose} maxWidth="sm">
      <Typography>
        {[
          count('QUEUED') > 0 && t.mailed(number(count('QUEUED'))),
          count('SKIPPED') > 0 && t.skipped(number(count('SKIPPED'))),
          t.once,
        ]
          .filter(Boolean)
          .join(' ')}
      </Typography>
      <TextField
        label={t.all}
        value={links}
        multiline
        maxRows={6}
        slotProps={{ htmlInput: { readOnly: true, style: { fontFamily: 'monospace' } } }}
      />
      <Button variant="outlined" startIcon={<ContentCopy />} onClick={() => copy(links)} sx={{ alignSelf: 'start' }}>
        {invitations.length === 1 ? names.copyLink : t.copyAll}
      </Button>
    </NoticeDialog>
  )
}
