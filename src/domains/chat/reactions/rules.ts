const EMOJI = /^\p{RGI_Emoji}$/v
/** Asks for the picture of a character that is also a text symbol, such as U+2764. */
const AS_PICTURE = '\uFE0F'

/** The emoji in its recommended spelling, or undefined if the text is anything but one emoji. */
export function emojiOf(text: string): string | undefined {
  if (EMOJI.test(text)) return text
  return EMOJI.test(text + AS_PICTURE) ? text + AS_PICTURE : undefined
}
