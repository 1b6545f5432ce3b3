/** Who may find the user, ask the user and write to the user: in the contacts and in the account. Each change is saved at once. */

import { FormControlLabel, FormHelperText, MenuItem, Stack, Switch, TextField } from '@mui/material'

import { useAction, useCall } from '../api/hooks.ts'
import type { ContactPrivacy as Settings } from '../api/types.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'
import { Answer } from './Answer.tsx'
import { Section } from './parts.tsx'

const words = texts({
  en: {
    saved: 'Your settings are saved.',
    find: 'Who finds me',
    findableByEmail: 'By e-mail address',
    findableByEmailHelp: 'People who know your confirmed e-mail address find you with it.',
    findableByPhone: 'By phone number',
    findableByPhoneHelp: 'People who know your confirmed phone number find you with it.',
    ask: 'Who reaches me',
    whoMayRequest: 'Contact requests',
    requests: {
      EVERYONE: 'Everyone',
      ORG_MEMBERS: 'Members of my organizations',
      CARD_ONLY: 'People with my card',
      NOBODY: 'Nobody',
    },
    whoMayMessage: 'Messages',
    messages: {
      CONTACTS: 'My contacts',
      ORG_MEMBERS: 'Also members of my organizations',
      EVERYONE: 'Everyone',
    },
    readReceipts: 'Read receipts',
    readReceiptsHelp: 'You and the people you write with see what the other has read, also in groups.',
    presence: 'Online status',
    presenceHelp:
      'You and contacts who turn this on too see whether the other is online, and when they were last here.',
  },
  zh: {
    saved: '设置已保存。',
    find: '谁能找到我',
    findableByEmail: '通过邮箱',
    findableByEmailHelp: '知道你已验证邮箱的人可以用它找到你。',
    findableByPhone: '通过手机号',
    findableByPhoneHelp: '知道你已验证手机号的人可以用它找到你。',
    ask: '谁能联系我',
    whoMayRequest: '联系人申请',
    requests: {
      EVERYONE: '所有人',
      ORG_MEMBERS: '我所在组织的成员',
      CARD_ONLY: '持有我名片的人',
      NOBODY: '不接受申请',
    },
    whoMayMessage: '消息',
    messages: { CONTACTS: '我的联系人', ORG_MEMBERS: '以及我所在组织的成员', EVERYONE: '所有人' },
    readReceipts: '已读回执',
    readReceiptsHelp: '你和对方都能看到消息是否已读，群聊中也一样。',
    presence: '在线状态',
    presenceHelp: '你和同样开启此项的联系人能看到对方是否在线，以及最后在线的时间。',
  },
})

type Flag = 'findableByEmail' | 'findableByPhone' | 'readReceipts' | 'presence'

export function ContactPrivacy() {
  const query = useCall('contacts.privacy')
  return <Answer query={query}>{(privacy) => <Form privacy={privacy} />}</Answer>
}

function Form({ privacy }: { privacy: Settings }) {
  const t = useTexts(words)
  const may = useMay()
  const update = useAction('contacts.updatePrivacy', {
    done: t.saved,
    refreshes: ['contacts.privacy', 'contacts.presence'],
  })
  const isFixed = !may('contacts.updatePrivacy')
  // The new value is shown while it is saved.
  const shown = update.isPending ? { ...privacy, ...(update.variables?.body as Partial<Settings>) } : privacy
  const flag = (name: Flag, label: string, help: string) => (
    <div>
      <FormControlLabel
        control={
          <Switch
            checked={shown[name]}
            disabled={isFixed}
            onChange={({ target }) => update.mutate({ body: { [name]: target.checked } })}
            slotProps={{ input: { 'aria-describedby': `${name}-help` } }}
          />
        }
        label={label}
      />
      <FormHelperText id={`${name}-help`}>{help}</FormHelperText>
    </div>
  )
  const choice = <Name extends 'whoMayRequest' | 'whoMayMessage'>(
    name: Name,
    label: string,
    choices: Readonly<Record<Settings[Name], string>>,
  ) => (
    <TextField
      select
      label={label}
      value={shown[name]}
      disabled={isFixed}
      onChange={({ target }) => update.mutate({ body: { [name]: target.value } })}
      sx={{ maxWidth: 420 }}
    >
      {Object.entries<string>(choices).map(([value, text]) => (
        <MenuItem key={value} value={value}>
          {text}
        </MenuItem>
      ))}
    </TextField>
  )
  return (
    <>
      <Section title={t.find}>
        <Stack spacing={1.5}>
          {flag('findableByEmail', t.findableByEmail, t.findableByEmailHelp)}
          {flag('findableByPhone', t.findableByPhone, t.findableByPhoneHelp)}
        </Stack>
      </Section>
      <Section title={t.ask}>
        <Stack spacing={2.5} sx={{ pt: 1 }}>
          {choice('whoMayRequest', t.whoMayRequest, t.requests)}
          {choice('whoMayMessage', t.whoMayMessage, t.messages)}
          {flag('readReceipts', t.readReceipts, t.readReceiptsHelp)}
          {flag('presence', t.presence, t.presenceHelp)}
        </Stack>
      </Section>
    </>
  )
}
