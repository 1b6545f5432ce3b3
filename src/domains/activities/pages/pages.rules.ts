/** Texts of landing pages. Pure. */

/** The paragraphs of a plain text, which blank lines separate. */
export const paragraphsOf = (text: string): string[] =>
  text
    .split(/\n[^\S\n]*\n\s*/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
