/** Whether the focused element needs the key itself, as fields, dialogs and open menus do. Shortcuts of the page then ignore it. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('[role=dialog],[role=menu],[role=listbox]') !== null)
