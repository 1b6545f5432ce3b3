/** The page of a contact: own name and tags for the person, chat, block, delete. */

import { Block, Chat, DeleteOutlined, LockOpen } from '@mui/icons-material'
import { Alert, Autocomplete, Button, Stack, TextField, Typography } from '@mui/material'
import { Link, useNavigate, useParams } from 'react-router'

import { call } from '../../api/client.ts'
import { useAction, useCall } from '../../api/hooks.ts'
import type { ContactDetail as Detail } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { date } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useRecent } from '../../session/recent.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { Form } from '../../ui/Form.tsx'
import { Page } from '../../ui/Page.tsx'
import { Facts, Section } from '../../ui/parts.tsx'
import { Portrait } from '../../ui/Portrait.tsx'
import { usePresence } from '../../ui/presence.ts'
import { useForm } from '../../ui/use-form.tsx'
import { shownName } from './ContactList.tsx'

const words = texts({
  en: {
    ...common.en,
    nickname: 'Nickname',
    presence: 'Online status',
    signature: 'About',
    since: 'Contact since',
    chat: 'Write a message',
    oneWay: 'This person does not have you as a contact. Messages arrive only if their settings allow it.',
    isBlocked: 'You have blocked this person. Neither of you can write to the other.',
    notes: 'My notes',
    notesHelp: 'Only you see these.',
    remark: 'My name for this person',
    tagsHelp: 'Press Enter after each tag.',
    saved: 'Your notes are saved.',
    block: 'Block',
    blockTitle: (name: string) => `Block ${name}?`,
    blockText: 'Neither of you can write to the other. The person is not notified. You can unblock them at any time.',
    blocked: 'The person is blocked.',
    unblock: 'Unblock',
    unblocked: 'The person is no longer blocked.',
    deleteTitle: (name: string) => `Delete ${name} from your contacts?`,
    deleteText:
      'The conversation disappears from your list, and your notes are deleted. The person is not notified and keeps you as a contact.',
    deleted: 'The contact is deleted.',
  },
  zh: {
    ...common.zh,
    nickname: '昵称',
    presence: '在线状态',
    signature: '个性签名',
    since: '添加时间',
    chat: '发消息',
    oneWay: '对方未将你加为联系人。仅当对方的设置允许时，才能收到你的消息。',
    isBlocked: '你已拉黑对方，双方都不能给对方发消息。',
    notes: '我的备注',
    notesHelp: '仅你可见。',
    remark: '备注名',
    tagsHelp: '每输入一个标签按回车。',
    saved: '备注已保存。',
    block: '拉黑',
    blockTitle: (name: string) => `拉黑“${name}”？`,
    blockText: '双方都不能再给对方发消息。对方不会收到通知，你可以随时取消拉黑。',
    blocked: '已拉黑。',
    unblock: '取消拉黑',
    unblocked: '已取消拉黑。',
    deleteTitle: (name: string) => `删除联系人“${name}”？`,
    deleteText: '会话将从你的列表中消失，备注也会被删除。对方不会收到通知，且仍保留你为联系人。',
    deleted: '联系人已删除。',
  },
})

export default function ContactDetail() {
  const contactId = Number(useParams().id)
  const query = useCall('contacts.get', { params: { contactId } })
  return <Answer query={query}>{(contact) => <Shown key={contact.id} contact={contact} />}</Answer>
}

function Shown({ contact }: { contact: Detail }) {
  const t = useTexts(words)
  const may = useMay()
  const navigate = useNavigate()
  const { id, userId, nickname, avatarUrl, blocked, twoWay, signature, createdAt } = contact
  const name = shownName(contact)
  useRecent('contact', name)
  const presence = usePresence([userId])(userId)
  const params = { contactId: id }
  const toList = () => void navigate('/contacts', { replace: true })
  // The page of a person who was blocked without being a contact no longer exists then.
  const unblock = useAction('contacts.unblock', { done: t.unblocked, refreshes: ['contacts.list'], onDone: toList })
  return (
    <Page title={name} back="/contacts" width="form">
      <Section>
        <Stack direction="row" spacing={2} sx={{ alignItems: 'center', mb: 2 }}>
          <Portrait name={name} url={avatarUrl} size={72} />
          {!blocked && may('messages.send') && (
            <Button variant="contained" startIcon={<Chat />} component={Link} to={`/chats/with/${userId}`}>
              {t.chat}
            </Button>
          )}
        </Stack>
        {blocked ? (
          <Alert severity="warning" sx={{ mb: 2 }}>
            {t.isBlocked}
          </Alert>
        ) : (
          !twoWay && (
            <Alert severity="info" sx={{ mb: 2 }}>
              {t.oneWay}
            </Alert>
          )
        )}
        <Facts
          items={[
            [t.nickname, nickname],
            [t.presence, presence],
            [t.signature, signature],
            [t.since, date(createdAt)],
          ]}
        />
      </Section>
      {may('contacts.setRemark') && <Notes contact={contact} />}
      <Stack direction="row" useFlexGap sx={{ flexWrap: 'wrap', gap: 1, justifyContent: 'flex-end' }}>
        {blocked ? (
          may('contacts.unblock') && (
            <Button
              variant="outlined"
              startIcon={<LockOpen />}
              loading={unblock.isPending}
              onClick={() => unblock.mutate({ params })}
            >
              {t.unblock}
            </Button>
          )
        ) : (
          <ActionButton
            operation="contacts.block"
            input={{ params }}
            icon={<Block />}
            label={t.block}
            title={t.blockTitle(name)}
            text={t.blockText}
            done={t.blocked}
            variant="outlined"
          />
        )}
        <ActionButton
          operation="contacts.delete"
          input={{ params }}
          icon={<DeleteOutlined />}
          label={t.delete}
          title={t.deleteTitle(name)}
          text={t.deleteText}
          done={t.deleted}
          variant="outlined"
          refreshes={['contacts.list', 'conversations']}
          onDone={toList}
        />
      </Stack>
    </Page>
  )
}

function Notes({ contact }: { contact: Detail }) {
  const t = useTexts(words)
  const params = { contactId: contact.id }
  const form = useForm(
    'contacts.setRemark',
    { remark: contact.remark, tags: contact.tags as readonly string[] },
    {
      input: ({ remark }) => ({ params, body: { remark } }),
      async send(input) {
        const saved = await call('contacts.setRemark', input)
        await call('contacts.setTags', { params, body: { tags: [...form.values.tags] } })
        return saved
      },
      done: t.saved,
    },
  )
  const tags = form.pick('tags')
  return (
    <Section title={t.notes}>
      <Form form={form} action={t.save}>
        <Typography variant="body2" color="text.secondary">
          {t.notesHelp}
        </Typography>
        <TextField {...form.text('remark', { label: t.remark })} required={false} />
        <Autocomplete
          multiple
          freeSolo
          // A tag after which Enter was not pressed counts too.
          autoSelect
          options={[] as string[]}
          value={tags.value as string[]}
          onChange={(_, value) => tags.onChange(value.map((tag) => tag.trim()).filter((tag) => tag !== ''))}
          renderInput={(input) => (
            <TextField
              {...input}
              label={tags.label}
              error={tags.error !== undefined}
              helperText={tags.error ?? t.tagsHelp}
            />
          )}
        />
      </Form>
    </Section>
  )
}
