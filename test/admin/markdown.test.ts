/** POST /api/admin/common/render-markdown. How hostile texts are rendered is tested in test/lib. */

import { describe, expect, test } from 'bun:test'

import { createRole, grant } from '../access/helpers.ts'
import { ok, type Person, useServer } from '../harness/index.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })

const PATH = '/api/admin/common/render-markdown'
const render = (content: string, who: Person = admin) => who.call('admin.markdown.render', { body: { content } })

describe('POST /api/admin/common/render-markdown', () => {
  test('renders a text as agreements do, and leaves no row in the operation log', async () => {
    const content = '# Terms\n\n[x](javascript:alert(1)) **bold**\n\n<script>alert(1)</script>'
    const { data } = ok(await render(content))
    expect(data.contentPlain).toBe('Terms\nx bold\n<script>alert(1)</script>')
    expect(data.contentHtml).not.toContain('<script')
    expect(data.contentHtml).not.toContain('javascript:')
    const published = ok(
      await admin.call('agreements.publish', { body: { type: 'SERVICE', title: 'Terms', content } }),
    ).data
    expect(data.contentHtml).toBe(published.contentHtml)
    expect(ok(await render('')).data).toEqual({ contentHtml: '', contentPlain: '' })
    const { items } = ok(await admin.call('operationLog.list', { query: {} })).data
    expect(items.map(({ action }) => action)).toEqual(['AGREEMENT_PUBLISH'])
  })

  test('needs markdown:render, and a text of at most 100,000 characters', async () => {
    expect((await server.request('POST', PATH, { body: { content: 'x' } })).status).toBe(401)
    expect((await render('x', alice)).status).toBe(403)
    const editor = await server.person()
    ok(await grant(admin, editor, await createRole(admin, { permissions: ['markdown:render'] })))
    ok(await render('x'.repeat(100_000), editor))
    for (const body of [{}, { content: 1 }, { content: 'x'.repeat(100_001) }])
      expect((await editor.post(PATH, body)).status).toBe(400)
  })
})

describe('with limited rates', () => {
  const { server, admin } = useServer({ rateLimit: true })

  test('the sixty-first preview in a minute answers 429, for this administrator only', async () => {
    const other = await server.person()
    ok(await grant(admin, other, await createRole(admin, { permissions: ['markdown:render'] })))
    const statuses: number[] = []
    for (let i = 0; i < 61; i++) statuses.push((await render('x', admin)).status)
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 200), 429])
    ok(await render('x', other))
  })
})
