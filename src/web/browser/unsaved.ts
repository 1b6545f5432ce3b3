/**
 * Forms with changes that were not saved. `ui/use-form.tsx` reports them, and whatever ends a form calls `leave`, which asks the user first:
 * links, menus, shortcuts and the buttons of the browser by the history below, dialogs, the choice of the workspace and the sign-out.
 * `shell/LeaveQuestion.tsx` shows the question.
 */

import { type To, UNSAFE_createBrowserHistory as createBrowserHistory } from 'react-router'

/** By the ids of forms. */
const unsaved = new Set<string>()
/** The one that was changed last. */
let field: Element | null = null
/** The action that waits for the answer, while the question is open. */
let question: (() => void) | undefined
const listeners = new Set<() => void>()

function set(next: typeof question): void {
  question = next
  for (const listener of listeners) listener()
}

/** Called after each change of a form by the user. */
export function holdForm(id: string): void {
  unsaved.add(id)
  field = document.activeElement
}

/** The form was saved, has its first values again, or is closed. */
export function releaseForm(id: string): void {
  if (unsaved.delete(id) && unsaved.size === 0 && question !== undefined) set(undefined)
}

/** Nobody listens on the pages of the sign-in: their forms are left without a question. */
export const isUnsaved = (): boolean => unsaved.size > 0 && listeners.size > 0

/** Asks whether the changes may be lost, and then does it. */
export const ask = (then: () => void): void => set(then)

/** Does it at once if there are no changes. */
export function leave(then: () => void): void {
  if (!isUnsaved()) return then()
  ask(() => {
    unsaved.clear()
    then()
  })
}

export const currentQuestion = (): typeof question => question

export function onQuestion(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** `isDiscarded`: the user gives the changes up. */
export function answer(isDiscarded: boolean): void {
  const then = question
  if (isDiscarded) field = null
  set(undefined)
  if (isDiscarded) then?.()
}

/** After "Keep editing". A field that is gone, such as an entry of a list, leaves the focus where it is. */
export const focusField = (): void => (field as HTMLElement | null)?.focus()

/** The history of the router: it asks before it opens another page. */
export function guardedHistory(): ReturnType<typeof createBrowserHistory> {
  const history = createBrowserHistory({ v5Compat: true })
  /** `idx`: the number that the router gives to each entry of the history. Missing after a change of the address by hand. */
  const entry = () => ({
    at: (globalThis.history.state as { idx?: number } | null)?.idx ?? Number.NaN,
    page: location.pathname + location.search,
  })
  let here = entry()
  const guarded = (way: 'push' | 'replace') => (to: To, state?: unknown) => {
    const go = () => {
      history[way](to, state)
      here = entry()
    }
    const { pathname, search } = history.createURL(to)
    // The same page without a new entry shows other rows, by a filter in the address. Its forms stay.
    if (pathname === location.pathname && (way === 'replace' || search === location.search)) go()
    else leave(go)
  }
  /** Steps to the entry that the user wants to see, until the browser is back at this one. */
  let steps = 0
  // Back and forward cannot be prevented, only undone. This listener is called before that of the router, which notices neither.
  globalThis.addEventListener('popstate', (event) => {
    const next = entry()
    if (steps !== 0 && next.at === here.at) {
      const wanted = steps
      steps = 0
      event.stopImmediatePropagation()
      leave(() => history.go(wanted))
    } else if (isUnsaved() && next.page !== here.page && !Number.isNaN(next.at - here.at)) {
      steps = next.at - here.at
      event.stopImmediatePropagation()
      history.go(-steps)
    } else {
      steps = 0
      here = next
    }
  })
  return Object.assign(Object.create(history) as typeof history, { push: guarded('push'), replace: guarded('replace') })
}
