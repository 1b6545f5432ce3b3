/** The buttons that change one participant, and their dialogs. */

import { DeleteForever, DriveFileMove, Edit, MailOutlined, SwapVert } from '@mui/icons-material'
import { Button, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { useAll } from '../../../api/pages.ts'
import { notify } from '../../../browser/notices.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ActionDialog } from '../../../ui/ActionDialog.tsx'
import { ConfirmDialog, FormDialog } from '../../../ui/dialogs.tsx'
import { CheckField, ChoiceField, NumberField } from '../../../ui/fields.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { useRights } from '../rights.ts'
import { timesOf } from '../words.ts'
import type { PartProps } from './detail.tsx'
import { type Action, ACTIONS_OF, LANGUAGES, participantWords } from './words.ts'

const words = texts({
  en: {
    CONFIRM: (name: string) => `Confirm ${name}?`,
    WAIT: (name: string) => `Move ${name} to the waiting list?`,
    REJECT: (name: string) => `Reject ${name}?`,
    CANCEL: (name: string) => `Cancel the registration of ${name}?`,
    texts: {
      CONFIRM: 'The place is given at once, past the order of the waiting list.',
      WAIT: 'It becomes the last place on the waiting list. The place becomes free.',
      REJECT: 'The person cannot register again. You can confirm them later.',
      CANCEL: 'The person can register again while registration is open. The next on the waiting list gets the place.',
    },
    changed: 'The registration is changed.',
    write: 'Write',
    editTitle: (name: string) => `Change ${name}`,
    email: 'E-mail',
    emailHelp: 'A new address has to be confirmed again.',
    position: 'Change position',
    positionTitle: (name: string) => `Position of ${name}`,
    positionLabel: 'Place on the waiting list',
    positionHelp: 'The others move accordingly.',
    move: 'Move to another activity',
    moveTitle: (name: string) => `Move ${name} to another activity`,
    moveText: 'Answers to the same questions go along. Here the registration is cancelled.',
    target: 'Activity',
    noTarget: 'There is no other published activity with registration.',
    moveAction: 'Move',
    moved: (name: string) => `Moved to “${name}”.`,
    erase: 'Delete data',
    eraseTitle: (name: string) => `Delete the data of ${name}?`,
    eraseText:
      'The registration is cancelled. Name, e-mail address, answers and note are permanently deleted; the numbers stay.',
    erased: 'The data are deleted.',
  },
  zh: {
    CONFIRM: (name: string) => `确认 ${name} 的报名？`,
    WAIT: (name: string) => `将 ${name} 移入候补？`,
    REJECT: (name: string) => `拒绝 ${name}？`,
    CANCEL: (name: string) => `取消 ${name} 的报名？`,
    texts: {
      CONFIRM: '立即获得名额，不按候补顺序。',
      WAIT: '排到候补名单末位，并让出名额。',
      REJECT: '对方不能再次报名，之后仍可由你确认。',
      CANCEL: '报名开放期间对方可重新报名。名额将由候补的下一位递补。',
    },
    changed: '已更改。',
    write: '发消息',
    editTitle: (name: string) => `修改 ${name} 的信息`,
    email: '邮箱',
    emailHelp: '新邮箱需要重新确认。',
    position: '调整位次',
    positionTitle: (name: string) => `${name} 的候补位次`,
    positionLabel: '候补位次',
    positionHelp: '其他人相应顺移。',
    move: '转到其他活动',
    moveTitle: (name: string) => `将 ${name} 转到其他活动`,
    moveText: '相同问题的回答会一并转去，此处的报名将取消。',
    target: '活动',
    noTarget: '没有其他已发布且开放报名的活动。',
    moveAction: '转移',
    moved: (name: string) => `已转到“${name}”。`,
    erase: '删除数据',
    eraseTitle: (name: string) => `删除 ${name} 的数据？`,
    eraseText: '报名将取消，姓名、邮箱、回答和备注会永久删除，仅保留统计数字。',
    erased: '已删除。',
  },
})

const REFRESHES = ['registrations', 'activities', 'passes']

export interface PersonActionsProps extends PartProps {
  onClose: () => void
}

export function PersonActions({ activity, person, onClose }: PersonActionsProps) {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  const can = useRights(activity)
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<Action | 'edit' | 'position' | 'move' | 'erase'>()
  const close = () => setDialog(undefined)
  const { id, status, nickname, guest } = person
  const isActive = activity.status === 'ACTIVE'
  const isLive = status === 'CONFIRMED' || status === 'WAITING'
  const props = { activity, person, onClose: close }
  if (!can('registrations.update')) return null
  return (
    <>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        {isActive &&
          ACTIONS_OF[status].map((action) => (
            <Button
              key={action}
              variant={action === 'CONFIRM' ? 'contained' : 'outlined'}
              color={action === 'CANCEL' || action === 'REJECT' ? 'error' : 'primary'}
              onClick={() => setDialog(action)}
            >
              {shared.actions[action]}
            </Button>
          ))}
        {isActive && status === 'WAITING' && (
          <Button variant="outlined" startIcon={<SwapVert />} onClick={() => setDialog('position')}>
            {t.position}
          </Button>
        )}
        <Button variant="outlined" startIcon={<Edit />} onClick={() => setDialog('edit')}>
          {shared.edit}
        </Button>
        {isLive && can('activityMessages.create') && (
          <Button
            variant="outlined"
            startIcon={<MailOutlined />}
            onClick={() =>
              void navigate(`/activities/${activity.id}/messages/new`, { state: { filter: { ids: [id] }, count: 1 } })
            }
          >
            {t.write}
          </Button>
        )}
        {isActive && isLive && (
          <Button variant="outlined" startIcon={<DriveFileMove />} onClick={() => setDialog('move')}>
            {t.move}
          </Button>
        )}
        {guest !== null && (
          <Button color="error" startIcon={<DeleteForever />} onClick={() => setDialog('erase')}>
            {t.erase}
          </Button>
        )}
      </Stack>
      {dialog === 'erase' && (
        <ActionDialog
          operation="registrations.cancelAny"
          input={{ params: { registrationId: id }, query: { erase: true } }}
          title={t.eraseTitle(nickname)}
          text={t.eraseText}
          action={t.erase}
          refreshes={REFRESHES}
          done={t.erased}
          onDone={onClose}
          onClose={close}
        />
      )}
      {dialog === 'edit' && <EditDialog {...props} />}
      {dialog === 'position' && <PositionDialog {...props} />}
      {dialog === 'move' && <MoveDialog {...props} />}
      {dialog !== undefined && dialog in shared.actions && <StatusDialog {...props} action={dialog as Action} />}
    </>
  )
}

const STATUS_OF = { CONFIRM: 'CONFIRMED', WAIT: 'WAITING', REJECT: 'REJECTED', CANCEL: 'CANCELLED' } as const

function StatusDialog({ activity, person, action, onClose }: PersonActionsProps & { action: Action }) {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  const isEnding = action === 'REJECT' || action === 'CANCEL'
  const form = useForm(
    'registrations.update',
    { reason: '', overCapacity: false, notify: true },
    {
      done: t.changed,
      refreshes: REFRESHES,
      onDone: onClose,
      input: ({ reason, overCapacity, notify }) => ({
        params: { registrationId: person.id },
        body: {
          status: STATUS_OF[action],
          notify,
          ...(action === 'CONFIRM' && { overCapacity }),
          ...(isEnding && reason.trim() !== '' && { reason: reason.trim() }),
        },
      }),
    },
  )
  return (
    <ConfirmDialog
      isOpen
      form={form}
      title={t[action](person.nickname)}
      text={t.texts[action]}
      action={shared.actions[action]}
      isCancelling={action === 'CANCEL'}
      color={isEnding ? 'error' : 'primary'}
      onClose={onClose}
    >
      {isEnding && <TextField {...form.text('reason', { label: shared.reason, help: shared.reasonHelp })} />}
      {action === 'CONFIRM' && activity.registration?.capacity != null && (
        <CheckField {...form.check('overCapacity', { label: shared.over })} isBox />
      )}
      <CheckField {...form.check('notify', { label: shared.tell })} isBox />
    </ConfirmDialog>
  )
}

function EditDialog({ activity, person, onClose }: PersonActionsProps) {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  const { guest, answers } = person
  const questions = activity.registration?.questions ?? []
  // Answers to questions that are no longer asked can be corrected too.
  const keys = [...new Set([...questions.map(({ key }) => key), ...Object.keys(answers)])]
  const labelOf = (key: string) => questions.find((question) => question.key === key)?.label ?? key
  const first = {
    ...(guest && { name: guest.name, email: guest.email ?? '', language: guest.language }),
    ...Object.fromEntries(keys.map((key) => [`answers.${key}`, answers[key] ?? ''])),
    note: person.note ?? '',
  } as { name: string; email: string; language: 'en' | 'zh' | null; note: string }
  const form = useForm('registrations.update', first, {
    done: shared.saved,
    refreshes: REFRESHES,
    onDone: onClose,
    input(values) {
      const isChanged = (name: string) => values[name as 'name'] !== first[name as 'name']
      const { name, email, language, note } = values
      const fields = keys.map((key) => `answers.${key}`)
      // The interface replaces all answers together.
      const given = fields.filter((field) => values[field as 'name'].trim() !== '')
      return {
        params: { registrationId: person.id },
        body: {
          ...(isChanged('name') && { name: name.trim() }),
          ...(isChanged('email') && { email: email.trim() || null }),
          ...(isChanged('language') && { language }),
          ...(fields.some(isChanged) && {
            answers: Object.fromEntries(
              given.map((field) => [field.slice('answers.'.length), values[field as 'name']]),
            ),
          }),
          ...(isChanged('note') && { note: note.trim() || null }),
        },
      }
    },
  })
  return (
    <FormDialog form={form} title={t.editTitle(person.nickname)} action={shared.save} onClose={onClose}>
      {guest && (
        <>
          <TextField {...form.text('name', { label: shared.name })} required />
          <TextField {...form.text('email', { label: t.email, help: t.emailHelp })} required={false} type="email" />
          <ChoiceField
            {...form.pick('language', { label: shared.language })}
            choices={LANGUAGES}
            none={shared.noLanguage}
          />
        </>
      )}
      {keys.map((key) => (
        <TextField key={key} {...form.text(`answers.${key}` as 'note', { label: labelOf(key) })} multiline />
      ))}
      <TextField {...form.text('note', { label: shared.note, help: shared.noteHelp })} multiline minRows={2} />
    </FormDialog>
  )
}

function PositionDialog({ person, onClose }: PersonActionsProps) {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  const form = useForm(
    'registrations.update',
    { position: person.position },
    {
      done: t.changed,
      refreshes: REFRESHES,
      onDone: onClose,
      input: ({ position }) => ({ params: { registrationId: person.id }, body: { position: position ?? 1 } }),
    },
  )
  return (
    <FormDialog
      form={form}
      title={t.positionTitle(person.nickname)}
      action={shared.save}
      isDisabled={form.values.position === null}
      onClose={onClose}
      maxWidth="xs"
    >
      <NumberField {...form.number('position', { label: t.positionLabel, help: t.positionHelp })} autoFocus />
    </FormDialog>
  )
}

function MoveDialog({ activity, person, onClose }: PersonActionsProps) {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  const activities = useAll('activities.list', {
    query: { status: 'ACTIVE', ...(activity.ownerType === 'ORGANIZATION' && { orgId: activity.ownerId }) },
  })
  const targets = (activities.data ?? []).filter(
    ({ id, registration, ownerType, ownerId, canManage }) =>
      id !== activity.id &&
      registration !== null &&
      canManage &&
      ownerType === activity.ownerType &&
      ownerId === activity.ownerId,
  )
  const form = useForm(
    'registrations.move',
    { activityId: null as number | null, overCapacity: false, notify: true },
    {
      refreshes: REFRESHES,
      onDone(moved) {
        notify(t.moved(targets.find(({ id }) => id === moved.activityId)?.name ?? ''), 'success')
        onClose()
      },
      input: ({ activityId, ...others }) => ({
        params: { registrationId: person.id },
        body: { ...others, activityId: activityId ?? 0 },
      }),
    },
  )
  return (
    <FormDialog
      form={form}
      title={t.moveTitle(person.nickname)}
      action={t.moveAction}
      isDisabled={form.values.activityId === null}
      onClose={onClose}
    >
      <Typography>{t.moveText}</Typography>
      {activities.data !== undefined && targets.length === 0 ? (
        <Typography color="text.secondary">{t.noTarget}</Typography>
      ) : (
        <ChoiceField
          {...form.pick('activityId', { label: t.target })}
          choices={targets.map((one) => ({ id: one.id, name: `${one.name} · ${timesOf(one)}` }))}
        />
      )}
      <CheckField {...form.check('overCapacity', { label: shared.over })} isBox />
      <CheckField {...form.check('notify', { label: shared.tell })} isBox />
    </FormDialog>
  )
}
