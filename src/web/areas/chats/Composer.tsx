/** The field to write in, and the menu of other things to send. */

import {
  AddCircleOutlined,
  AlternateEmail,
  AttachFile,
  Badge,
  Close,
  Image,
  Mic,
  Place,
  Send,
} from '@mui/icons-material'
import {
  Alert,
  Box,
  IconButton,
  Menu,
  MenuItem,
  Stack,
  TextField,
  Tooltip,
  Typography,
  useMediaQuery,
} from '@mui/material'
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'

import type { Conversation, GroupMember, Message } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { sendFrame } from '../../session/live.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { isTyping } from '../../ui/is-typing.ts'
import { MenuEntry } from '../../ui/MenuButton.tsx'
import { usePosition } from '../../ui/position.ts'
import type { OpenDraft } from './drafts.ts'
import { MentionList, useMentioning } from './MentionList.tsx'
import { sendMessage, type Target } from './outbox.ts'
import { PersonDialog } from './PeopleDialog.tsx'
import { type NameOf, useExcerpt } from './text.ts'
import type { Voice } from './use-recorder.ts'
import { VoiceBar } from './VoiceBar.tsx'

const words = texts({
  en: {
    ...common.en,
    message: 'Message',
    add: 'Send something else',
    picture: 'Picture or video',
    file: 'File',
    card: 'Contact card',
    place: 'My position',
    placeTitle: 'Send your position?',
    placeText: 'Everyone in this conversation sees where you are now.',
    mention: 'Mention a member',
    stopReply: 'Do not reply to this message',
    speak: 'Record a voice message',
    merged: 'You have written here on another device, too. Both texts are kept, one below the other.',
  },
  zh: {
    ...common.zh,
    message: '消息',
    add: '发送其他内容',
    picture: '图片或视频',
    file: '文件',
    card: '名片',
    place: '我的位置',
    placeTitle: '发送你的位置？',
    placeText: '此会话中的所有人都将看到你现在的位置。',
    mention: '@成员',
    stopReply: '不回复此消息',
    speak: '录制语音消息',
    merged: '你在另一台设备上也写了草稿，两段文字均已保留。',
  },
})

/** Characters of a message (docs/chat.md). */
const MAX = 5_000
/** Milliseconds between two frames that say that the user is typing. */
const TYPING_PAUSE = 3_000

export interface ComposerProps {
  field: RefObject<HTMLTextAreaElement | null>
  target: Target
  /** Undefined for the first message to a user. */
  conversation?: Conversation
  draft: OpenDraft
  members: readonly GroupMember[]
  replyTo: Message | undefined
  nameOf: NameOf
}

export function Composer({ field, target, conversation, draft, members, replyTo, nameOf }: ComposerProps) {
  const t = useTexts(words)
  const excerpt = useExcerpt()
  const may = useMay()
  const [isSpeaking, setSpeaking] = useState(false)
  const { text } = draft
  const setText = (next: string) => draft.write({ text: next })
  const hasTouch = useMediaQuery('(pointer: coarse)')
  const lastTyping = useRef(0)
  const mentioning = useMentioning(field, text, setText, members, conversation)
  useTypingAnywhere(field)
  useEffect(() => {
    if (replyTo !== undefined) field.current?.focus()
  }, [field, replyTo])

  const send = () => {
    const trimmed = text.trim()
    if (trimmed === '') return
    sendMessage({
      target,
      type: 'TEXT',
      content: { text: trimmed, ...mentioning.contentOf(trimmed) },
      replyToId: replyTo?.id ?? null,
      draftVersion: draft.leave(),
    })
    field.current?.focus()
  }
  const stopSpeaking = () => {
    setSpeaking(false)
    // The field is there again with the next frame.
    if (!hasTouch) requestAnimationFrame(() => field.current?.focus())
  }
  const sendVoice = ({ file, durationMs }: Voice) => {
    sendMessage({ target, type: 'VOICE', content: { durationMs }, file, replyToId: replyTo?.id ?? null })
    stopSpeaking()
    draft.write({ replyToId: null })
  }
  const sendFiles = (files: Iterable<File>) => {
    for (const file of files) sendMessage({ target, type: 'FILE', content: {}, file, replyToId: null })
  }
  const onKey = (event: KeyboardEvent) => {
    if (mentioning.onKey(event)) return event.preventDefault()
    // The key that ends the input of Chinese characters must not send.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || hasTouch) return
    event.preventDefault()
    send()
  }
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    sendFiles(event.clipboardData.files)
  }
  const change = (next: string) => {
    setText(next)
    if (conversation === undefined || conversation.isNotes || Date.now() - lastTyping.current < TYPING_PAUSE) return
    lastTyping.current = Date.now()
    sendFrame('typing', { conversationId: conversation.id })
  }
  return (
    <Box sx={{ borderTop: 1, borderColor: 'divider' }}>
      {replyTo !== undefined && (
        <Stack direction="row" sx={{ alignItems: 'center', px: 1.5, pt: 0.5 }}>
          <Box sx={{ borderLeft: 3, borderColor: 'primary.main', pl: 1, flex: 1, minWidth: 0 }}>
            <Typography variant="caption" component="div" sx={{ fontWeight: 650 }}>
              {nameOf(replyTo.senderId)}
            </Typography>
            <Typography variant="caption" component="div" noWrap>
              {excerpt(replyTo, nameOf)}
            </Typography>
          </Box>
          <IconButton aria-label={t.stopReply} onClick={() => draft.write({ replyToId: null })}>
            <Close fontSize="small" />
          </IconButton>
        </Stack>
      )}
      {draft.isMerged && (
        <Alert severity="info" onClose={() => draft.write({ isMerged: false })}>
          {t.merged}
        </Alert>
      )}
      <MentionList {...mentioning} />
      {isSpeaking ? (
        <VoiceBar onSend={sendVoice} onClose={stopSpeaking} />
      ) : (
        <Stack direction="row" spacing={0.5} sx={{ alignItems: 'flex-end', p: 1 }}>
          <MoreButton
            target={target}
            members={members}
            onFiles={sendFiles}
            onMention={(name) => {
              setText(`${text}${text === '' || text.endsWith(' ') ? '' : ' '}@${name} `)
              field.current?.focus()
            }}
          />
          <TextField
            inputRef={field}
            label={t.message}
            value={text}
            onChange={(event) => {
              change(event.target.value)
              mentioning.onCaret(event.target.selectionStart ?? event.target.value.length)
            }}
            onKeyDown={onKey}
            onPaste={onPaste}
            multiline
            maxRows={6}
            fullWidth
            slotProps={{ htmlInput: { maxLength: MAX } }}
          />
          <SendButton
            isEmpty={text.trim() === ''}
            onSend={send}
            onSpeak={may('files.upload') ? () => setSpeaking(true) : undefined}
          />
        </Stack>
      )}
    </Box>
  )
}

interface SendProps {
  isEmpty: boolean
  onSend: () => void
  /** Undefined for users who cannot send recordings. */
  onSpeak: (() => void) | undefined
}

/** Sends the text, or records a voice message while there is none. */
function SendButton({ isEmpty, onSend, onSpeak }: SendProps) {
  const t = useTexts(words)
  if (isEmpty && onSpeak !== undefined)
    return (
      <Tooltip title={t.speak}>
        <IconButton color="primary" aria-label={t.speak} onClick={onSpeak}>
          <Mic />
        </IconButton>
      </Tooltip>
    )
  return (
    <Tooltip title={t.send}>
      <span>
        <IconButton color="primary" aria-label={t.send} disabled={isEmpty} onClick={onSend}>
          <Send />
        </IconButton>
      </span>
    </Tooltip>
  )
}

interface MoreProps {
  target: Target
  members: readonly GroupMember[]
  onFiles: (files: Iterable<File>) => void
  onMention: (name: string) => void
}

function MoreButton({ target, members, onFiles, onMention }: MoreProps) {
  const t = useTexts(words)
  const may = useMay()
  const position = usePosition()
  const { user } = useSession()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const [step, setStep] = useState<'mention' | 'card' | 'place'>()
  const input = useRef<HTMLInputElement>(null)
  /** Closes the menu, and opens a dialog if one follows. */
  const close = (next?: 'card' | 'place') => {
    setAnchor(null)
    setStep(next)
  }
  const choose = (accept: string) => {
    close()
    input.current!.accept = accept
    input.current!.click()
  }
  const sendPlace = async () => {
    const found = await position.find()
    close()
    if (found === undefined) return
    sendMessage({ target, type: 'LOCATION', content: { latitude: found.latitude, longitude: found.longitude } })
  }
  const others = members.filter(({ userId }) => userId !== user.id)
  return (
    <>
      <Tooltip title={t.add}>
        <IconButton aria-label={t.add} aria-haspopup="menu" onClick={(event) => setAnchor(event.currentTarget)}>
          <AddCircleOutlined />
        </IconButton>
      </Tooltip>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        onChange={({ target: { files } }) => {
          onFiles(files ?? [])
          input.current!.value = ''
        }}
      />
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => close()}>
        {step === 'mention'
          ? others.map(({ userId, nickname }) => (
              <MenuItem
                key={userId}
                onClick={() => {
                  close()
                  onMention(nickname)
                }}
              >
                @{nickname}
              </MenuItem>
            ))
          : [
              ...(may('files.upload')
                ? [
                    <MenuEntry
                      key="picture"
                      icon={<Image />}
                      text={t.picture}
                      onClick={() => choose('image/*,video/*')}
                    />,
                    <MenuEntry key="file" icon={<AttachFile />} text={t.file} onClick={() => choose('')} />,
                  ]
                : []),
              <MenuEntry key="card" icon={<Badge />} text={t.card} onClick={() => close('card')} />,
              <MenuEntry key="place" icon={<Place />} text={t.place} onClick={() => close('place')} />,
              ...(others.length > 0
                ? [
                    <MenuEntry
                      key="mention"
                      icon={<AlternateEmail />}
                      text={t.mention}
                      onClick={() => setStep('mention')}
                    />,
                  ]
                : []),
            ]}
      </Menu>
      <ConfirmDialog
        isOpen={step === 'place'}
        title={t.placeTitle}
        text={t.placeText}
        action={t.send}
        color="primary"
        isBusy={position.isBusy}
        onConfirm={() => void sendPlace()}
        onClose={() => close()}
      />
      {step === 'card' && (
        <PersonDialog
          title={t.card}
          onClose={() => close()}
          onChosen={(userId) => {
            close()
            sendMessage({ target, type: 'CARD', content: { userId } })
          }}
        />
      )}
    </>
  )
}

/** Puts the focus into the field when a conversation is opened, and at a letter that is typed elsewhere on the page. */
function useTypingAnywhere(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    // On phones the focus would open the keyboard over the messages.
    if (!matchMedia('(pointer: coarse)').matches && !isTyping(document.activeElement))
      field.current?.focus({ preventScroll: true })
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !/^\p{L}$/u.test(event.key))
        return
      // Not a shortcut of the page either. The letter itself follows into the field.
      event.stopPropagation()
      field.current?.focus()
    }
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [field])
}
