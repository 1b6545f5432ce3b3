/** The queue of short messages at the bottom of the web application. */

import { expect, test } from 'bun:test'

import { currentNotice, endNotice, notify } from '../../src/web/browser/notices.ts'

test('results of actions are shown one after the other, and a flood of news does not delay them', () => {
  const link = { label: 'Open', to: '/notifications/1' }
  const shown: string[] = []
  for (let i = 0; i < 50; i++) notify(`news ${i}`, 'info', link)
  notify('saved', 'success')
  notify('refused', 'error')
  notify('more news', 'info', link)
  for (let notice = currentNotice(); notice !== undefined; notice = currentNotice()) {
    shown.push(notice.text)
    endNotice(notice.id)
    endNotice(notice.id)
  }
  expect(shown).toEqual(['news 0', 'saved', 'refused'])
})
