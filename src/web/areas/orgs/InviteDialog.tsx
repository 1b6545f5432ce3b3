/** Invites users, or sends them the link to join. Users are found by name; others are named by e-mail address or phone number. */

import { Alert, Autocomplete, TextField, Typography } from '@mui/material'
import { type FormEvent, useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import type { DataOf, Organization } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { FormDialog, NoticeDialog } from '../../ui/dialogs.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { RoleField, useMayGiveRoles } from './RoleField.tsx'

const words = texts({
  en: {
    ...common.en,
    title: (name: string) => `Invite to ${name}`,
    how: 'Send',
    hows: { invite: 'An invitation', link: 'The link to join' },
    howHelp: {
      invite: 'They become members as soon as they accept, also without the code.',
      link: 'They get a message with the link. The join policy decides what it does.',
    },
    who: 'People',
    whoHelp: 'Type a name, a username, an e-mail address or a phone number. Press Enter after each.',
    none: 'No user found. Type the whole username, e-mail address or phone number.',
    loading: 'Searching…',
    unclear: (text: string) =>
      `“${text}” is neither an e-mail address nor a phone number. Choose a user from the list.`,
    result: {
      INVITED: 'Invited',
      SENT: 'Sent',
      ALREADY_MEMBER: 'Is a member already',
      ALREADY_INVITED: 'Has an open invitation already',
      NOT_FOUND: 'No user has confirmed this address or number',
    },
  },
  zh: {
    ...common.zh,
    title: (name: string) => `邀请加入${name}`,
    how: '发送内容',
    hows: { invite: '邀请', link: '加入链接' },
    howHelp: {
      invite: '对方接受后即成为成员，不需要组织码。',
      link: '对方会收到带链接的通知，能否加入取决于加入方式。',
    },
    who: '邀请对象',
    whoHelp: '输入名称、用户名、邮箱或手机号，每输入一个按回车。',
    none: '没有找到用户。请输入完整的用户名、邮箱或手机号。',
    loading: '正在搜索…',
    unclear: (text: string) => `“${text}”不是邮箱或手机号，请从列表中选择用户。`,
    result: {
      INVITED: '已邀请',
      SENT: '已发送',
      ALREADY_MEMBER: '已是成员',
      ALREADY_INVITED: '已有待接受的邀请',
      NOT_FOUND: '没有用户验证过此邮箱或手机号',
    },
  },
})

/** A user from the search, or a text that was typed. */
type Target = string | { id: number; nickname: string }
type How = 'invite' | 'link'

const isEmail = (text: string) => text.includes('@')
const isPhone = (text: string) => /^\+?[\d\s-]{5,}$/.test(text)

interface Values {
  readonly targets: readonly Target[]
  readonly typed: string
  readonly how: How
  /** Null: MEMBER. */
  readonly roleId: number | null
}

/** Also the text after which Enter was not pressed. */
const allOf = ({ targets, typed }: Values): readonly Target[] =>
  typed.trim() === '' ? targets : [...targets, typed.trim()]

const unclearIn = (targets: readonly Target[]): string | undefined =>
  targets.filter((target) => typeof target === 'string').find((text) => !isEmail(text) && !isPhone(text))

export function InviteDialog({ org, onClose }: { org: Organization; onClose: () => void }) {
  const t = useTexts(words)
  const may = useMay()
  const [result, setResult] = useState<DataOf<'orgs.invite' | 'orgs.shareJoinLink'>['items']>()
  const form = useForm(
    ({ how }) => (how === 'invite' ? 'orgs.invite' : 'orgs.shareJoinLink'),
    { targets: [], typed: '', how: 'invite', roleId: null } as Values,
    {
      paths: { targets: ['userIds', 'emails', 'phones'] },
      input(values) {
        const all = allOf(values)
        const addresses = all.filter((target) => typeof target === 'string')
        return {
          params: { id: org.id },
          body: {
            userIds: all.flatMap((target) => (typeof target === 'string' ? [] : [target.id])),
            emails: addresses.filter(isEmail),
            phones: addresses.filter((text) => !isEmail(text)),
            ...(values.how === 'invite' && values.roleId !== null && { roleId: values.roleId }),
          },
        }
      },
      onDone: ({ items }) => setResult(items),
    },
  )
  const { targets, typed, how } = form.values
  const mayGiveRoles = useMayGiveRoles(org)
  const settled = useSettled(typed.trim())
  const canSearch = may('orgs.searchUsers') && settled.length >= 2
  const found = useCall('orgs.searchUsers', { query: { q: settled } }, { enabled: canSearch, keepPrevious: true })
  const unclear = unclearIn(targets)
  const problem = unclear === undefined ? form.problem('targets') : t.unclear(unclear)
  const all = allOf(form.values)
  const submit = (event?: FormEvent) =>
    unclearIn(all) === undefined ? form.submit(event) : form.set({ targets: all, typed: '' })
  const nameOf = (id: number) => {
    const found = targets.find((one) => typeof one !== 'string' && one.id === id) as { nickname: string } | undefined
    return found?.nickname ?? id
  }
  if (result !== undefined)
    return (
      <NoticeDialog title={t.title(org.name)} maxWidth="sm" onClose={onClose}>
        {result.map(({ contact, userId, status }) => (
          <Alert key={contact ?? userId} severity={status === 'INVITED' || status === 'SENT' ? 'success' : 'warning'}>
            <Typography variant="body2" sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
              {contact ?? nameOf(userId!)}
            </Typography>
            {t.result[status]}
          </Alert>
        ))}
      </NoticeDialog>
    )
  return (
    <FormDialog
      form={{ ...form, submit }}
      title={t.title(org.name)}
      action={t.send}
      isDisabled={all.length === 0}
      onClose={onClose}
    >
      <Autocomplete
        multiple
        freeSolo
        value={targets as Target[]}
        inputValue={typed}
        options={(canSearch ? (found.data?.items ?? []) : []) as Target[]}
        filterOptions={(all) => all}
        filterSelectedOptions
        loading={found.isFetching}
        loadingText={t.loading}
        noOptionsText={t.none}
        getOptionLabel={(target) => (typeof target === 'string' ? target : target.nickname)}
        getOptionKey={(target) => (typeof target === 'string' ? target : target.id)}
        isOptionEqualToValue={(a, b) => (typeof a === 'string' || typeof b === 'string' ? a === b : a.id === b.id)}
        onChange={(_, value) => form.set({ targets: value })}
        onInputChange={(_, text) => form.set({ typed: text })}
        renderInput={(input) => (
          <TextField
            {...input}
            autoFocus
            label={t.who}
            error={problem !== undefined}
            helperText={problem ?? t.whoHelp}
          />
        )}
      />
      {org.joinPolicy !== 'INVITE' && (
        <TextField {...form.choice('how', t.hows, { label: t.how, help: t.howHelp[how] })} />
      )}
      {mayGiveRoles && how === 'invite' && <RoleField org={org} {...form.pick('roleId')} isNewMember />}
    </FormDialog>
  )
}
