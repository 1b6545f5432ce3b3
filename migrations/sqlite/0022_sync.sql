CREATE TABLE `asset_category_clean_ups` (
	`category_id` integer PRIMARY KEY NOT NULL,
	`owner` integer NOT NULL
);

CREATE TABLE `meta_field_changes` (
	`field_id` integer PRIMARY KEY NOT NULL,
	`object_name` text NOT NULL,
	`after_owner` integer,
	`after_number` real,
	`after_entity_id` integer
);

CREATE TABLE `scan_purged_codes` (
	`qr_code_id` integer PRIMARY KEY NOT NULL
);

CREATE TABLE `sync_access` (
	`user_id` integer NOT NULL,
	`org_id` integer NOT NULL,
	`scope` text NOT NULL,
	`stamp` integer NOT NULL,
	`is_closed` integer NOT NULL,
	`after_stamp` integer NOT NULL,
	`until_stamp` integer NOT NULL,
	`is_last` integer NOT NULL,
	`shows_values` integer NOT NULL,
	PRIMARY KEY(`user_id`, `org_id`, `scope`, `stamp`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `sync_conflicts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`device` integer NOT NULL,
	`entity` text NOT NULL,
	`server_id` integer NOT NULL,
	`local_id` text NOT NULL,
	`winner` text NOT NULL,
	`client_data` text,
	`server_data` text,
	`base_version` integer NOT NULL,
	`server_version` integer NOT NULL,
	`client_updated_at` integer NOT NULL,
	`server_updated_at` integer NOT NULL,
	`status` text DEFAULT 'OPEN' NOT NULL,
	`accept_server` integer,
	`created_at` integer NOT NULL,
	`resolved_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `sync_conflicts_user` ON `sync_conflicts` (`user_id`,`status`,"id" desc);

CREATE INDEX `sync_conflicts_all` ON `sync_conflicts` (`user_id`,"id" desc);

CREATE INDEX `sync_conflicts_age` ON `sync_conflicts` (`created_at`);

CREATE TABLE `sync_devices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`device_key` text NOT NULL,
	`last_pull_at` integer,
	`last_push_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `sync_devices_device` ON `sync_devices` (`user_id`,`device_key`);

CREATE TABLE `sync_horizons` (
	`owner` integer PRIMARY KEY NOT NULL,
	`stamp` integer NOT NULL
);

CREATE TABLE `sync_mappings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`device` integer NOT NULL,
	`entity` text NOT NULL,
	`local_id` text NOT NULL,
	`server_id` integer NOT NULL,
	`is_forced` integer DEFAULT false NOT NULL,
	`resend_at` integer
);

CREATE UNIQUE INDEX `sync_mappings_local` ON `sync_mappings` (`device`,`entity`,`local_id`);

CREATE INDEX `sync_mappings_server` ON `sync_mappings` (`device`,`entity`,`server_id`);

CREATE INDEX `sync_mappings_row` ON `sync_mappings` (`entity`,`server_id`);

CREATE INDEX `sync_mappings_resend` ON `sync_mappings` (`device`,`resend_at`) WHERE "sync_mappings"."resend_at" is not null;

CREATE TABLE `sync_receipts` (
	`mapping` integer NOT NULL,
	`base_version` integer NOT NULL,
	`client_updated_at` integer NOT NULL,
	`status` text NOT NULL,
	`version` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`conflict_id` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`mapping`, `base_version`, `client_updated_at`)
) WITHOUT ROWID;

CREATE INDEX `sync_receipts_age` ON `sync_receipts` (`created_at`);

CREATE TABLE `sync_starts` (
	`device` integer NOT NULL,
	`org_id` integer NOT NULL,
	`entity` text NOT NULL,
	`started_at` integer NOT NULL,
	PRIMARY KEY(`device`, `org_id`, `entity`)
);

CREATE TABLE `sync_tombstones` (
	`owner` integer NOT NULL,
	`stamp` integer NOT NULL,
	`entity` text NOT NULL,
	`entity_id` integer NOT NULL,
	`version` integer NOT NULL,
	PRIMARY KEY(`owner`, `stamp`, `entity`, `entity_id`)
) WITHOUT ROWID;

CREATE INDEX `sync_tombstones_row` ON `sync_tombstones` (`entity`,`entity_id`);

CREATE INDEX `sync_tombstones_stamp` ON `sync_tombstones` (`stamp`);

ALTER TABLE `categories` ADD `version` integer DEFAULT 1 NOT NULL;

CREATE INDEX `categories_updated` ON `categories` (`user_id`,`updated_at`,`id`);

ALTER TABLE `scan_records` ADD `version` integer DEFAULT 1 NOT NULL;

CREATE INDEX `scan_records_updated` ON `scan_records` (`user_id`,`updated_at`,`id`);

CREATE INDEX `album_photos_updated` ON `album_photos` (`user_id`,`updated_at`,`id`) WHERE "album_photos"."org_id" = 0;

CREATE INDEX `album_photos_org_updated` ON `album_photos` (`org_id`,`updated_at`,`id`) WHERE "album_photos"."org_id" <> 0;

CREATE INDEX `asset_categories_updated` ON `asset_categories` (`owner`,`updated_at`,`id`,`deleted_at`);
