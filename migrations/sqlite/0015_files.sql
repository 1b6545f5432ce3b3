CREATE TABLE `album_photos` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`org_id` integer DEFAULT 0 NOT NULL,
	`qr_code_id` integer,
	`taken_at` integer,
	`latitude` real,
	`longitude` real,
	`address` text,
	`watermark` text,
	`sort_time` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `album_photos_personal` ON `album_photos` (`user_id`,`sort_time`,`created_at`,`id`) WHERE "album_photos"."org_id" = 0;

CREATE INDEX `album_photos_personal_created` ON `album_photos` (`user_id`,`created_at`,`id`) WHERE "album_photos"."org_id" = 0;

CREATE INDEX `album_photos_org` ON `album_photos` (`org_id`,`sort_time`,`created_at`,`id`) WHERE "album_photos"."org_id" <> 0;

CREATE INDEX `album_photos_org_created` ON `album_photos` (`org_id`,`created_at`,`id`) WHERE "album_photos"."org_id" <> 0;

CREATE INDEX `album_photos_code` ON `album_photos` (`qr_code_id`,`sort_time`,`created_at`,`id`) WHERE "album_photos"."qr_code_id" is not null;

CREATE INDEX `album_photos_code_created` ON `album_photos` (`qr_code_id`,`created_at`,`id`) WHERE "album_photos"."qr_code_id" is not null;

CREATE TABLE `album_purged_codes` (
	`qr_code_id` integer PRIMARY KEY NOT NULL
);

CREATE TABLE `blobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`sha256` text NOT NULL,
	`key` text NOT NULL,
	`size` integer NOT NULL,
	`refs` integer NOT NULL,
	`created_at` integer NOT NULL
);

CREATE UNIQUE INDEX `blobs_sha256` ON `blobs` (`sha256`);

CREATE TABLE `file_uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`org_id` integer DEFAULT 0 NOT NULL,
	`type` text NOT NULL,
	`name` text NOT NULL,
	`size` integer NOT NULL,
	`sha256` text,
	`key` text,
	`file_id` integer,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `file_uploads_expiry` ON `file_uploads` (`expires_at`);

CREATE INDEX `file_uploads_user` ON `file_uploads` (`user_id`);

CREATE TABLE `files` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uploader_id` integer NOT NULL,
	`org_id` integer DEFAULT 0 NOT NULL,
	`type` text NOT NULL,
	`name` text NOT NULL,
	`mime` text NOT NULL,
	`size` integer NOT NULL,
	`width` integer,
	`height` integer,
	`blob_id` integer NOT NULL,
	`thumbnail_blob_id` integer,
	`entity_type` text,
	`entity_id` integer,
	`public_key` text,
	`capture` text,
	`request_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`uploader_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`blob_id`) REFERENCES `blobs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`thumbnail_blob_id`) REFERENCES `blobs`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `files_uploader` ON `files` (`uploader_id`,`org_id`,"id" desc);

CREATE INDEX `files_org` ON `files` (`org_id`,"id" desc) WHERE "files"."org_id" <> 0;

CREATE INDEX `files_entity` ON `files` (`entity_type`,`entity_id`) WHERE "files"."entity_type" is not null;

CREATE INDEX `files_blob` ON `files` (`blob_id`);

CREATE INDEX `files_thumbnail` ON `files` (`thumbnail_blob_id`);

CREATE UNIQUE INDEX `files_request` ON `files` (`uploader_id`,`request_id`) WHERE "files"."request_id" is not null;

CREATE UNIQUE INDEX `files_public` ON `files` (`public_key`) WHERE "files"."public_key" is not null;

CREATE TABLE `storage_usage` (
	`user_id` integer NOT NULL,
	`org_id` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`user_id`, `org_id`)
);

ALTER TABLE `org_shares` ADD `photo_id` integer REFERENCES album_photos(id) ON DELETE CASCADE;

CREATE UNIQUE INDEX `org_shares_photo` ON `org_shares` (`photo_id`);
