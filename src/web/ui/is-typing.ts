/** Whether a key belongs to what has the focus, so that shortcuts of the page leave it alone: a field, a dialog or an open menu. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('[role=dialog],[role=menu],[role=listbox]') !== null)
