/** The interface of the image pipeline, and the messages between the server and the process that decodes. */

export interface ImageFacts {
  readonly mime: 'image/jpeg' | 'image/png' | 'image/webp'
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/** Time and position in the metadata of the uploaded file. They are removed from the stored image. */
export interface Capture {
  /** Epoch milliseconds. A time without an offset is read as UTC. */
  readonly takenAt: number | null
  /** Degrees. Both are null or neither. */
  readonly latitude: number | null
  readonly longitude: number | null
}

/** Pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

export interface WrittenFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Hex. */
  readonly sha256: string
}

export interface Processed extends WrittenFile {
  readonly image: ImageFacts
  /** WebP within 400×400 pixels. */
  readonly thumbnail: WrittenFile & { readonly width: number; readonly height: number }
  /** Null if the file names neither a time nor a position. */
  readonly capture: Capture | null
}

/**
 * - `undecodable`: damaged, incomplete, not of the given type, or made so that it takes too long.
 * - `too-many-pixels`: more than 40 megapixels.
 * - `too-small`: a logo with a side under `SMALLEST_LOGO` pixels.
 * - `heic-off`: HEIC, which the administrators have switched off.
 */
export type UnusableReason = 'undecodable' | 'too-many-pixels' | 'too-small' | 'heic-off'

/** The file is the cause: it is refused again if it is sent again. */
export class UnusableImage extends Error {
  override name = 'UnusableImage'
  constructor(readonly reason: UnusableReason) {
    super(`the image cannot be used: ${reason}`)
  }
}

/** Too many images are waiting. The client can send the same image again later. */
export class ImageQueueFull extends Error {
  override name = 'ImageQueueFull'
  constructor() {
    super('too many images are waiting')
  }
}

export interface Images {
  /**
   * Re-encodes the file at `input`, whose type `mime` was decided from its bytes: JPEG, PNG and WebP keep their type, GIF becomes the
   * PNG of its first frame, HEIC becomes JPEG. The orientation is applied, and of the metadata only the colour profile is kept. The
   * files that it writes are not flushed to disk; after an error neither of them exists. Images that wait take turns by `party`, the
   * user who sends them.
   * @throws UnusableImage, ImageQueueFull, BlobError if the files cannot be read or written
   */
  process(input: string, mime: string, output: string, thumbnailOutput: string, party: number): Promise<Processed>
  /**
   * Draws `LOGO_PICTURES` of the PNG, JPEG or WebP file at `input` into `outputs`, in this order. Everything else is as in `process`.
   * @throws UnusableImage, ImageQueueFull, BlobError if the files cannot be read or written
   */
  drawLogo(input: string, mime: string, outputs: readonly string[], party: number): Promise<readonly WrittenFile[]>
  /**
   * Writes the pixels of the PNG, JPEG or WebP file at `input` to `output`, at most as large as `within`: four bytes each, red, green, blue
   * and alpha, row by row. Everything else is as in `process`.
   * @throws UnusableImage, ImageQueueFull, BlobError if the files cannot be read or written
   */
  readPixels(input: string, mime: string, output: string, within: Size, party: number): Promise<Size>
  /** Ends the processes. Images in progress reject. */
  stop(): Promise<void>
}

/** A task for the process that decodes. It keeps nothing between two tasks. */
export type ImageTask =
  /** Reads the headers only. */
  | { readonly kind: 'inspect'; readonly input: string; readonly mime: string }
  /** Writes the pixels of a HEIC file to `output`. */
  | { readonly kind: 'decode'; readonly input: string; readonly output: string }
  | {
      readonly kind: 'convert'
      readonly input: string
      readonly mime: string
      /** The decoded pixels of a HEIC file. */
      readonly pixels?: string | undefined
      readonly output: string
      readonly thumbnailOutput: string
    }
  | { readonly kind: 'logo'; readonly input: string; readonly mime: string; readonly outputs: readonly string[] }
  | {
      readonly kind: 'pixels'
      readonly input: string
      readonly mime: string
      readonly output: string
      readonly within: Size
    }

export type ImageReply =
  | { readonly kind: 'inspected'; readonly width: number; readonly height: number }
  | { readonly kind: 'decoded' }
  | { readonly kind: 'converted'; readonly processed: Processed; readonly memory: number }
  | { readonly kind: 'drawn'; readonly files: readonly WrittenFile[]; readonly memory: number }
  | { readonly kind: 'read'; readonly size: Size; readonly memory: number }
  | { readonly kind: 'unusable'; readonly reason: UnusableReason }
  /** An error of the disk, or a mistake of ours. */
  | { readonly kind: 'failed'; readonly code: string | undefined; readonly message: string }

/** More are refused before anything is decoded. */
export const MAX_PIXELS = 40_000_000

/**
 * The pictures of a logo, all of them PNG: the logo itself, within 512×512 pixels; square icons of these sides; and one of 512 pixels that
 * phones cut into their own shape.
 */
export const LOGO_PICTURES = ['logo', '32', '180', '192', '512', 'maskable'] as const
export type LogoPicture = (typeof LOGO_PICTURES)[number]

/** Pixels of the shorter side. */
export const SMALLEST_LOGO = 128

/** The argument with which the executable starts itself as such a process. */
export const IMAGE_PROCESS = 'image-process'
