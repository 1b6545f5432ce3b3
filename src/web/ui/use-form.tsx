/**
 * The hook of all forms. It keeps the values, sends them, and shows each refusal at its field. Limits, required fields and choices come
 * from the endpoint record (`api/limits.gen.ts`), labels from `i18n/fields.ts`.
 *
 *     const form = useForm('locations.create', { name: '', isPublic: false }, { done: t.saved, onDone: onClose })
 *     <FormDialog form={form} title={t.create} action={t.save} onClose={onClose}>
 *       <TextField {...form.text('name')} autoFocus />
 *       <CheckField {...form.check('isPublic')} />
 *     </FormDialog>
 */

import { MenuItem } from '@mui/material'
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'

import { callWith } from '../api/client.ts'
import { type ApiError, CHANGED } from '../api/errors.ts'
import { type ActionSettings, useAction, useRefresh } from '../api/hooks.ts'
import type { DataOf, InputOf, OperationId } from '../api/types.ts'
import { holdForm, releaseForm } from '../browser/unsaved.ts'
import { momentOf } from '../i18n/clocks.ts'
import { type EnumName, enums, wordOf } from '../i18n/enums.ts'
import { useLabels } from '../i18n/fields.ts'
import { inputTime, timeIn, timeZone } from '../i18n/format.ts'
import { texts, useLocale, useTexts } from '../i18n/words.ts'
import type { Conflict } from './Conflict.tsx'
import { limitsOf, problemWith } from './limits.ts'
import { at, type From, isSame, useConflict } from './use-conflict.ts'

const words = texts({
  en: {
    long: (most: number) => `At most ${most} characters.`,
    number: 'Write a number.',
    whole: 'Write a whole number.',
    least: (least: number) => `At least ${least}.`,
    most: (most: number) => `At most ${most}.`,
  },
  zh: {
    long: (most: number) => `最多 ${most} 个字符。`,
    number: '请输入数字。',
    whole: '请输入整数。',
    least: (least: number) => `不能小于 ${least}。`,
    most: (most: number) => `不能大于 ${most}。`,
  },
})

/** The names of the values that have a type. */
export type NameOf<Values, T> = { [N in keyof Values & string]: Values[N] extends T ? N : never }[keyof Values & string]

export interface FieldOptions {
  /** Below the field, unless there is a problem. */
  help?: string | undefined
  /** By default the one of i18n/fields.ts. */
  label?: string
}

/** The part of a form that dialogs and buttons use. */
export interface FormState {
  /** The refusal of the server, unless all of it is shown at fields. */
  readonly error: ApiError | null
  readonly isBusy: boolean
  /** Something differs from the values at the beginning. */
  readonly isChanged: boolean
  /** Sends the form, unless a value breaks a limit. */
  readonly submit: (event?: FormEvent) => void
  /** Somebody else has changed the row meanwhile: for a `<ConflictDialog>`. */
  readonly conflict: Conflict | undefined
}

export interface Form<Values extends object> extends FormState {
  readonly values: Values
  /** `part`: values that were given last, for example by a scanner, and are sent with the others. */
  readonly submit: (event?: FormEvent, part?: Partial<Values>) => void
  /** A function gets the newest values, for changes that come later, such as uploads. */
  readonly set: (part: Partial<Values> | ((now: Values) => Partial<Values>)) => void
  /** With `asks`: properties of the `<ConfirmDialog>` that sends the form. */
  readonly question: { isOpen: boolean; isBusy: boolean; onConfirm: () => void; onClose: () => void }
  /** These are the values of the beginning from now on; problems are forgotten. */
  reset(values: Values): void
  /** The problem at a field. */
  readonly problem: (name: string) => string | undefined
  /** For a `<TextField>`. */
  readonly text: (name: NameOf<Values, string>, options?: FieldOptions) => ReturnType<typeof textProps>
  /** For a `<NumberField>`; empty is null. */
  readonly number: (name: NameOf<Values, number | null>, options?: FieldOptions) => FieldProps<number | null>
  /** For a `<TextField>` with date and time on the clocks of `zone`, by default those of the browser; the value is epoch milliseconds or null. */
  readonly time: (
    name: NameOf<Values, number | null>,
    options?: FieldOptions & { readonly zone?: string },
  ) => ReturnType<typeof textProps> & object
  /** For a `<TextField>` that offers the values of an enum, or those of `choices` with their words. */
  readonly choice: <N extends NameOf<Values, string>>(
    name: N,
    choices: EnumName | Readonly<Partial<Record<Values[N] & string, string>>>,
    options?: FieldOptions & { readonly only?: readonly (Values[N] & string)[] },
  ) => ReturnType<typeof textProps> & { select: true; children: ReactNode }
  /** For a `<CheckField>`. */
  readonly check: (name: NameOf<Values, boolean>, options?: FieldOptions) => FieldProps<boolean>
  /** For pickers: `value`, `onChange`, `label`, `error`, `help`. */
  readonly pick: <N extends keyof Values & string>(name: N, options?: FieldOptions) => FieldProps<Values[N]>
}

export interface FieldProps<T> {
  name: string
  label: string
  value: T
  onChange: (value: T) => void
  error: string | undefined
  help: string | undefined
  required: boolean
}

export interface FormSettings<Id extends OperationId, Values> extends Omit<ActionSettings<Id>, 'quiet' | 'send'> {
  /**
   * The row that is changed: the form is saved only while the row has the version with which the form was filled in. Otherwise the user
   * decides between the values of the form and those of the row as it is now.
   */
  from?: From<Values> | undefined
  /** With `from`: the names of things that values name by their ids. */
  names?: Readonly<Partial<Record<keyof Values, (id: number) => string>>>
  /** Instead of a plain call. `headers` have the version. */
  send?: (input: InputOf<Id>, id: Id, headers: Record<string, string>, values: Values) => Promise<DataOf<Id>>
  /** The request for these values. By default the values are the body; a name such as `region.city` is that of a value inside another. */
  input?: (values: Values) => InputOf<Id>
  /** The user is asked before the form is sent, or before it is sent with these values. */
  asks?: boolean | ((values: Values) => boolean)
  /** Where the interface has a value, if that is not its name: `{ account: ['username', 'email'] }`. `[]`: no field shows its problem. */
  paths?: Readonly<Partial<Record<keyof Values, string | readonly string[]>>>
}

/** The values of a form, and the request that saves them. */
function useSaving<Id extends OperationId, Values extends object>(
  id: Id | ((values: Values) => Id),
  initial: Values | (() => Values),
  { input, from, names, send: sender, ...settings }: FormSettings<Id, Values>,
  onRefused: () => void,
) {
  const [first, setFirst] = useState(initial)
  const [values, setValues] = useState(first)
  const formId = useId()
  const operation = typeof id === 'function' ? id(values) : id
  const version = useRef(from?.version)
  const sent = useRef(first)
  const action = useAction(operation, {
    ...settings,
    quiet: true,
    async send(request, to) {
      const headers: Record<string, string> =
        version.current === undefined ? {} : { 'if-match': `"${version.current}"` }
      return sender === undefined
        ? ((await callWith(to, request as object, { headers })) as DataOf<Id>)
        : await sender(request, to, headers, sent.current)
    },
    onDone(data) {
      if (from !== undefined) version.current = (data as { version?: number }).version ?? version.current
      // The form begins with the saved values from now on.
      setFirst(sent.current)
      // At once, since `onDone` may open another page.
      releaseForm(formId)
      settings.onDone?.(data)
    },
  })
  const refresh = useRefresh()
  const reset = (next: Values, start = next) => {
    setFirst(start)
    setValues(next)
    action.reset()
  }
  const { conflict, compare, shown } = useConflict({
    from,
    names,
    first,
    values,
    isBusy: action.isPending,
    onChanged: () => refresh(...(settings.refreshes ?? [operation.split('.')[0]!])),
    onSettled(theirs, next, now) {
      version.current = now
      reset(next, theirs)
    },
    send: (next) => send(next),
  })
  const send = (next: Values) => {
    sent.current = next
    action.mutate(input === undefined ? ({ body: nested(next) } as unknown as InputOf<Id>) : input(next), {
      onError(refusal) {
        onRefused()
        if (from !== undefined && refusal.code === CHANGED) void compare(next, refusal.data)
      },
    })
  }
  const error = conflict === undefined ? action.error : null
  const isChanged = Object.entries(values).some(([name, value]) => !isSame(value, at(first, name)))
  useEffect(() => (isChanged ? holdForm : releaseForm)(formId), [isChanged, formId, first, values])
  useEffect(() => () => releaseForm(formId), [formId])
  return { operation, isChanged, values, setValues, reset, send, error, conflict, shown, isBusy: action.isPending }
}

/** `id` may be a function of the values, if they decide which operation is called. */
export function useForm<Id extends OperationId, Values extends object>(
  id: Id | ((values: Values) => Id),
  initial: Values | (() => Values),
  settings: FormSettings<Id, Values> = {},
): Form<Values> {
  const { asks = false, paths } = settings
  const t = useTexts(words)
  const labelOf = useLabels()
  const locale = useLocale()
  const [isAsking, setAsking] = useState(false)
  const saving = useSaving(id, initial, settings, () => setAsking(false))
  const { operation, isChanged, values, setValues, error, shown, conflict, isBusy } = saving
  const sentFrom = useRef<Element>(undefined)
  /** A refusal of a field that is not drawn: it must be said elsewhere. */
  const [unseen, setUnseen] = useState<ApiError | null>(null)
  useEffect(() => {
    if (error !== null && focusProblem(sentFrom.current) < error.details.length) setUnseen(error)
  }, [error])
  const limits = limitsOf(operation)
  const valueOf = (name: string) => at(values, name)
  const set: Form<Values>['set'] = (part) =>
    setValues((now) => ({ ...now, ...(typeof part === 'function' ? part(now) : part) }))
  const pathsOf = (name: string): readonly string[] => [paths?.[name as keyof Values] ?? name].flat()
  const limitsAt = (name: string) => limits[pathsOf(name)[0]!]

  const ownProblem = (name: string) => {
    const found = problemWith(valueOf(name), limitsAt(name))
    return found && (typeof found === 'string' ? t[found] : t[found[0]](found[1]))
  }
  const problem = (name: string) =>
    ownProblem(name) ??
    pathsOf(name)
      .map((path) => error?.problem(path))
      .find((text) => text !== undefined)
  const field = <T,>(
    name: string,
    { help, label }: FieldOptions = {},
    word?: (value: unknown) => string,
  ): FieldProps<T> => {
    shown.set(name, { label, ...(word && { word }) })
    return {
      name,
      label: label ?? labelOf(name),
      value: valueOf(name) as T,
      onChange: (value) => set({ [name]: value } as Partial<Values>),
      error: problem(name),
      help,
      required: limitsAt(name)?.required ?? false,
    }
  }

  const send = (part?: Partial<Values>) => saving.send({ ...values, ...part })
  return {
    values,
    set,
    question: { isOpen: isAsking, isBusy, onConfirm: () => send(), onClose: () => setAsking(false) },
    reset: (next) => saving.reset(next),
    problem,
    error: unseen !== error && isAtFields(error, Object.keys(values).flatMap(pathsOf)) ? null : error,
    conflict,
    isBusy,
    isChanged,
    submit(event, part) {
      event?.preventDefault()
      // Dialogs are drawn inside the forms that open them: the outer one must not be sent.
      event?.stopPropagation()
      // Where no button is disabled meanwhile: Enter in a field, a second scan.
      if (isBusy) return
      sentFrom.current = event?.currentTarget
      // A value whose field is not drawn, because its part of the form is turned off, prevents nothing.
      if (Object.keys(values).some((name) => ownProblem(name) !== undefined) && focusProblem(sentFrom.current) > 0)
        return
      if (typeof asks === 'function' ? asks({ ...values, ...part }) : asks) setAsking(true)
      else send(part)
    },
    text: (name, options) => textProps(field<string>(name, options)),
    number: (name, options) => field(name, options),
    time(name, options) {
      const zone = options?.zone
      const { value, onChange, ...rest } = field<number | null>(name, options, (at) =>
        at === null ? '' : timeIn(at as number, zone),
      )
      const change = (text: string) => onChange(text === '' ? null : momentOf(text, zone ?? timeZone()))
      const props = textProps({ ...rest, value: inputTime(value, zone), onChange: change })
      return { ...props, type: 'datetime-local', slotProps: { inputLabel: { shrink: true } } }
    },
    choice(name, choices, { only, ...options } = {}) {
      const all = Object.keys(typeof choices === 'string' ? enums[choices] : choices)
      const offered: readonly string[] = only ?? limitsAt(name)?.choices ?? all
      const wordOfChoice = (value: string) =>
        typeof choices === 'string' ? wordOf(choices, value, locale) : (choices as Record<string, string>)[value]
      const children = all
        .filter((value) => offered.includes(value))
        .map((value) => (
          <MenuItem key={value} value={value}>
            {wordOfChoice(value)}
          </MenuItem>
        ))
      const shownAs = (value: unknown) => wordOfChoice(value as string) ?? String(value)
      return { ...textProps(field<string>(name, options, shownAs)), select: true, children }
    },
    check: (name, options) => field(name, options),
    pick: (name, options) => field(name, options),
  }
}

const textProps = ({ error, help, onChange, ...rest }: FieldProps<string>) => ({
  ...rest,
  error: error !== undefined,
  helperText: error ?? help,
  onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
})

/** All problems that the error names are shown at fields. */
const isAtFields = (error: ApiError | null, paths: readonly string[]): boolean =>
  error !== null &&
  error.details.length > 0 &&
  error.details.every(({ path }) => paths.includes(path.replace(/^(body|query)\./, '')))

/**
 * Screen readers say the problem with the field that has the focus. Returns how many fields have one. `form`: by default the
 * dialog on top, or the page.
 */
function focusProblem(form: ParentNode = [...document.querySelectorAll('[role=dialog]')].at(-1) ?? document): number {
  const fields = form.querySelectorAll<HTMLElement>('[aria-invalid=true]')
  fields[0]?.focus()
  return fields.length
}

/** `{ 'region.city': 'Bern' }` → `{ region: { city: 'Bern' } }` */
export function nested(values: object): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const parts = name.split('.')
    const last = parts.pop()!
    let inner = body
    for (const part of parts) inner = (inner[part] ??= {}) as Record<string, unknown>
    inner[last] = value
  }
  return body
}
