import { endpoint, platform } from '#http/endpoint.ts'
import { Model, Multiline, Text, Type } from '#http/schema.ts'
import { renderMarkdown } from '#lib/markdown/index.ts'
import { MINUTE } from '#platform/clock.ts'

const Source = Type.Object({
  content: Multiline(100_000, 0, { description: 'Markdown', examples: ['The library is **closed** on Monday.'] }),
})

const Preview = Model('MarkdownPreview', {
  contentHtml: Text('<p>The library is <strong>closed</strong> on Monday.</p>\n', {
    description: 'Safe HTML, as the readers get it',
  }),
  contentPlain: Text('The library is closed on Monday.', { description: 'The text without markup' }),
})

export const markdownEndpoints = [
  endpoint({
    id: 'admin.markdown.render',
    method: 'POST',
    path: '/api/admin/common/render-markdown',
    summary: 'Preview Markdown',
    description:
      'Renders a text as agreements, notifications and release notes do, and stores nothing. Raw HTML is shown as it was written. A text that is ' +
      'nearly all markup, or nests a hundred lists and quotes, is shown as plain text.',
    tag: 'Operations',
    access: platform('markdown:render'),
    budgets: [
      {
        name: 'console.markdown',
        counts: { en: 'previews', zh: '预览' },
        per: 'user',
        limit: 60,
        windowMs: MINUTE,
      },
    ],
    body: Source,
    data: Preview,
    ignoresKey: 'It changes nothing.',
    async run({ body }) {
      const { html, plain } = await renderMarkdown(body.content)
      return { contentHtml: html, contentPlain: plain }
    },
  }),
]
