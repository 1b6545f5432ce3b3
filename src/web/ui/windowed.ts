/**
 * Styles of a row in a list that can become long: the browser neither lays out nor paints rows outside the window. They stay in the page, so
 * that they are found by the search of the browser, by Tab and by screen readers.
 */
export const WINDOWED = {
  contentVisibility: 'auto',
  // Until it is seen, a row is taken to be as high as most are; afterwards the browser remembers.
  containIntrinsicSize: 'auto 84px',
} as const
