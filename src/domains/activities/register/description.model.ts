/** The text of an activity. */

import { ACTIVITY_FORMATS } from '#db/schema/activities.ts'
import { Enum, Model, Multiline, Named, Text, Type } from '#http/schema.ts'

/** UTF-16 units of a plain text. The schema allows what Markdown may have. */
export const MAX_PLAIN = 2000
const MAX_MARKDOWN = 20_000

export const DescriptionFormat = Named('DescriptionFormat', Enum(ACTIVITY_FORMATS, { examples: ['PLAIN'] }))

const EXAMPLE = 'Bring **gloves** and boots'

export const ActivityDescription = Multiline(MAX_MARKDOWN, 0, {
  description: `At most ${MAX_PLAIN} characters unless \`descriptionFormat\` is MARKDOWN`,
  examples: [EXAMPLE],
})

export const DescriptionHtml = Text('<p>Bring <strong>gloves</strong> and boots</p>\n', {
  description:
    'The description as safe HTML; empty if there is none. Headings begin with `h3`. Pictures are those of this server under `/public/images/`; ' +
    'others are replaced by their descriptions',
})

export const RenderDescription = Type.Object({ content: Multiline(MAX_MARKDOWN, 0, { examples: [EXAMPLE] }) })
export const DescriptionPreview = Model('DescriptionPreview', { descriptionHtml: DescriptionHtml })
