/** The text of an activity: plain or Markdown, and its HTML. */

import { describe, expect, test } from 'bun:test'

import { ok, useServer } from '../harness/index.ts'
import { createActivity, getActivity, update } from './helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const htmlOf = async (content: string): Promise<string> =>
  ok(await alice.call('activities.renderDescription', { body: { content } })).data.descriptionHtml

test('a description is plain text unless its activity says that it is Markdown', async () => {
  const source = 'Bring **gloves**\nand <b>boots</b>.\n\n# Pier'
  const plain = await createActivity(alice, { description: source })
  expect(plain).toMatchObject({
    description: source,
    descriptionFormat: 'PLAIN',
    descriptionHtml: '<p>Bring **gloves**<br />\nand &lt;b&gt;boots&lt;/b&gt;.</p>\n<p># Pier</p>\n',
  })
  const { data } = ok(await update(alice, plain.id, { descriptionFormat: 'MARKDOWN' }))
  expect(data.descriptionHtml).toBe(
    '<p>Bring <strong>gloves</strong>\nand &lt;b&gt;boots&lt;/b&gt;.</p>\n<h3>Pier</h3>\n',
  )
  expect(await getActivity(alice, plain.id)).toMatchObject({ description: source, descriptionFormat: 'MARKDOWN' })
  expect(ok(await update(alice, plain.id, { descriptionFormat: null })).data.descriptionFormat).toBe('PLAIN')
  expect((await createActivity(alice)).descriptionHtml).toBe('')
})

test('lists and the keyword search have the description as it was written', async () => {
  const fields = { description: 'Meet at the **quay7**', visibility: 'PUBLIC', status: 'ACTIVE' } as const
  const { id } = await createActivity(alice, { ...fields, descriptionFormat: 'MARKDOWN', endTime: Date.UTC(2040, 1) })
  for (const keyword of ['quay7', '**QUAY7**']) {
    const listed = ok(await alice.call('activities.list', { query: { keyword } })).data.items
    const discovered = ok(await alice.get('/api/discover/activities', { keyword })).data.items
    for (const [item, ...more] of [listed, discovered]) {
      expect(item).toMatchObject({ id, description: fields.description })
      expect(item).not.toHaveProperty('descriptionHtml')
      expect(more).toEqual([])
    }
  }
})

test('a plain description has at most 2,000 characters and Markdown 20,000, also when the format is changed', async () => {
  const long = 'a'.repeat(2001)
  const details = [{ path: 'body.description', message: expect.stringContaining('2000') }]
  const tooLong = { status: 400, code: 400, details }
  const body = { name: 'x', startTime: 1, endTime: 2 }
  expect(await alice.call('activities.create', { body: { ...body, description: long } })).toMatchObject(tooLong)
  const { id } = await createActivity(alice, { description: 'a'.repeat(20_000), descriptionFormat: 'MARKDOWN' })
  const before = await getActivity(alice, id)
  expect(await update(alice, id, { descriptionFormat: 'PLAIN' })).toMatchObject(tooLong)
  expect((await update(alice, id, { description: 'a'.repeat(20_001) })).status).toBe(400)
  expect((await update(alice, id, { descriptionFormat: 'HTML' as never })).status).toBe(400)
  expect(await getActivity(alice, id)).toEqual(before)
  expect(ok(await update(alice, id, { descriptionFormat: 'PLAIN', description: 'b' })).data.description).toBe('b')
})

test('the calendar file has the text without markup', async () => {
  const { id } = await createActivity(alice, {
    description: '# Pier\n\nBring **gloves**',
    descriptionFormat: 'MARKDOWN',
  })
  const { text } = await alice.call('activities.calendar', { params: { id } })
  expect(text).toContain('DESCRIPTION:Pier\\nBring gloves')
})

describe('the preview', () => {
  test('is what the activity then answers, and needs an account', async () => {
    const description = '- *a*\n- [b](https://example.org/?a=1&b=2)'
    const { descriptionHtml } = await createActivity(alice, { description, descriptionFormat: 'MARKDOWN' })
    expect(await htmlOf(description)).toBe(descriptionHtml)
    expect(
      (await server.request('POST', '/api/activities/render-description', { body: { content: 'a' } })).status,
    ).toBe(401)
    const tooLong = await alice.call('activities.renderDescription', { body: { content: 'a'.repeat(20_001) } })
    expect(tooLong.status).toBe(400)
  })

  test('gives links to others no weight and no access to the page', async () => {
    expect(await htmlOf('[a](https://example.org "t") www.example.com')).toBe(
      '<p><a href="https://example.org" title="t" rel="nofollow noopener">a</a> ' +
        '<a href="http://www.example.com" rel="nofollow noopener">www.example.com</a></p>\n',
    )
    expect(await htmlOf('[a](javascript:alert)')).toBe('<p><a href="" rel="nofollow noopener">a</a></p>\n')
  })

  test('shows pictures of this server that are public, and the descriptions of all others', async () => {
    const { origin } = new URL(server.url)
    const key = '/public/images/5hYt0QmZr8KpWc2LxVbN3a'
    const attributes = 'alt="map" loading="lazy" referrerpolicy="no-referrer"'
    expect(await htmlOf(`![map](${key})`)).toBe(`<p><img src="${key}" ${attributes} /></p>\n`)
    for (const address of [
      'https://example.org/public/images/abc',
      `${origin}.example.org/public/images/abc`,
      '//example.org/public/images/abc',
      '/public/images/../../q/abc',
      '/public/images/abc?x=1',
      '/q/abc',
      'map.png',
    ])
      expect(await htmlOf(`![map](${address})`)).toBe('<p>map</p>\n')
  })

  test('begins headings below those of the page', async () => {
    expect(await htmlOf('# a\n\n## b\n\n##### c')).toBe('<h3>a</h3>\n<h4>b</h4>\n<h6>c</h6>\n')
  })
})
