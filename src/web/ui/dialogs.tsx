/** Dialogs: a question before something destructive, a form with one button, and a notice. */

import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  Stack,
  TextField,
} from '@mui/material'
import { type FormEvent, type ReactNode, useId, useState } from 'react'

import { ask } from '../browser/unsaved.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { ErrorNotice } from './Answer.tsx'
import { ConflictDialog } from './Conflict.tsx'
import type { FormState } from './use-form.tsx'
import { useIsPhone } from './use-is-phone.ts'

const words = texts({
  en: { cancel: 'Cancel', back: 'Go back', close: 'Close', type: (word: string) => `Type “${word}” to confirm` },
  zh: { cancel: '取消', back: '返回', close: '关闭', type: (word: string) => `请输入“${word}”以确认` },
})

export interface ConfirmProps {
  isOpen: boolean
  title: string
  /** Says which consequences the action has and whether it can be undone. */
  text: ReactNode
  /** The word on the button: "Delete 3 codes". */
  action: string
  /** The action itself is called "Cancel": the other button must not be. */
  isCancelling?: boolean
  /** The word on the other button. */
  cancel?: string
  /** Must be typed before the button works. For actions that concern other users and cannot be undone. */
  typed?: string
  /** `primary` for actions that destroy nothing. */
  color?: 'error' | 'primary'
  isBusy?: boolean
  error?: unknown
  onConfirm?: () => void
  /** Instead of `isBusy`, `error` and `onConfirm`, if the question has fields, such as a reason. They are the children. */
  form?: FormState
  children?: ReactNode
  onClose: () => void
  /** After the dialog has disappeared. */
  onClosed?: () => void
}

/** Changes of the form are lost with the dialog: the user is asked before. */
const closing = (form: FormState | undefined, onClose: () => void) => () =>
  form?.isChanged === true ? ask(onClose) : onClose()

/** Asks before something destructive. */
export function ConfirmDialog(props: ConfirmProps) {
  const { isOpen, title, text, action, isCancelling, typed, color = 'error', form, children, onClose } = props
  const { cancel, onClosed } = props
  const { isBusy = form?.isBusy, error = form?.error, onConfirm = () => form?.submit() } = props
  const t = useTexts(words)
  const id = useId()
  const close = closing(form, onClose)
  const [value, setValue] = useState('')
  return (
    <Dialog
      open={isOpen}
      onClose={close}
      fullWidth
      maxWidth="xs"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      {...(onClosed && { slotProps: { transition: { onExited: onClosed } } })}
    >
      <DialogTitle id={`${id}-title`}>{title}</DialogTitle>
      <DialogContent>
        <DialogContentText id={`${id}-text`} component="div">
          {text}
        </DialogContentText>
        {children !== undefined && (
          // Not a form: Enter in a field must not confirm.
          <Stack spacing={2} sx={{ mt: 2 }}>
            {children}
          </Stack>
        )}
        {typed !== undefined && (
          <TextField
            fullWidth
            sx={{ mt: 2 }}
            label={t.type(typed)}
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        )}
        {error !== undefined && error !== null && <ErrorNotice error={error} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={close} autoFocus>
          {cancel ?? (isCancelling ? t.back : t.cancel)}
        </Button>
        <Button
          color={color}
          variant="contained"
          loading={isBusy ?? false}
          disabled={typed !== undefined && value.trim() !== typed}
          onClick={onConfirm}
        >
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

export interface FormDialogProps {
  /** Without it, the content itself ends the dialog. */
  form?: FormState
  title: string
  /** The word on the button that sends the form. */
  action?: string
  /** `error` for actions that destroy something. */
  color?: 'error' | 'primary'
  /** True: something must be chosen first. */
  isDisabled?: boolean
  onClose: () => void
  children: ReactNode
  maxWidth?: 'xs' | 'sm' | 'md'
}

/** A form in a dialog; on phones it fills the screen. */
export function FormDialog(props: FormDialogProps) {
  const { form, title, action, color = 'primary', isDisabled = false, onClose, children, maxWidth = 'sm' } = props
  const t = useTexts(words)
  const close = closing(form, onClose)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Dialogs are drawn inside the forms that open them: the outer one must not be sent.
    event.stopPropagation()
    form?.submit(event)
  }
  return (
    <Dialog open onClose={close} fullWidth maxWidth={maxWidth} fullScreen={useIsPhone()} aria-labelledby="form-title">
      <form onSubmit={submit} style={{ display: 'contents' }}>
        <DialogTitle id="form-title">{title}</DialogTitle>
        <DialogContent>
          <Stack spacing={2} sx={{ pt: 1 }}>
            {children}
            {form && form.error !== null && <ErrorNotice error={form.error} />}
            <ConflictDialog conflict={form?.conflict} />
          </Stack>
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>{t.cancel}</Button>
          {form && (
            <Button type="submit" variant="contained" color={color} loading={form.isBusy} disabled={isDisabled}>
              {action}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  )
}

export interface NoticeDialogProps {
  isOpen?: boolean
  title: string
  /** The word on the button; by default "Close". */
  action?: string
  /** The content is shown only once: neither Escape nor a click beside the dialog closes it. */
  isOnlyOnce?: boolean
  onClose: () => void
  children: ReactNode
  /** `md`: with a long list, which fills the screen of a phone. */
  maxWidth?: 'xs' | 'sm' | 'md'
}

/** Says something that needs no decision. */
export function NoticeDialog(props: NoticeDialogProps) {
  const { isOpen = true, title, action, isOnlyOnce = false, onClose, children, maxWidth = 'xs' } = props
  const t = useTexts(words)
  const isPhone = useIsPhone()
  return (
    <Dialog
      open={isOpen}
      onClose={() => !isOnlyOnce && onClose()}
      fullWidth
      maxWidth={maxWidth}
      fullScreen={isPhone && maxWidth === 'md'}
      aria-labelledby="notice-title"
    >
      <DialogTitle id="notice-title">{title}</DialogTitle>
      <DialogContent>
        <Stack spacing={2}>{children}</Stack>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} autoFocus>
          {action ?? t.close}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
