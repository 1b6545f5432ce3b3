CREATE TABLE `asset_calendars` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`owner` integer NOT NULL,
	`secret_hash` text NOT NULL,
	`locale` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `asset_calendars_user` ON `asset_calendars` (`user_id`,`owner`);

CREATE UNIQUE INDEX `asset_calendars_secret` ON `asset_calendars` (`secret_hash`);

CREATE TABLE `asset_warranty_reminders` (
	`asset_id` integer PRIMARY KEY NOT NULL,
	`day` text NOT NULL
);

ALTER TABLE `asset_loans` ADD `announced_at` integer;

CREATE INDEX `asset_loans_soon` ON `asset_loans` (`due_at`) WHERE "asset_loans"."checked_in_at" is null and "asset_loans"."announced_at" is null;

CREATE INDEX `assets_warranty_end` ON `assets` (`warranty_expiry`,`id`) WHERE "assets"."deleted_at" is null and "assets"."warranty_expiry" is not null;
