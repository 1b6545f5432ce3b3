CREATE TABLE `app_packages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`file_name` text NOT NULL,
	`blob_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`blob_id`) REFERENCES `blobs`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `app_packages_name` ON `app_packages` (`file_name`);

CREATE INDEX `app_packages_blob` ON `app_packages` (`blob_id`);

CREATE TABLE `app_updates` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`version_code` integer NOT NULL,
	`version_name` text NOT NULL,
	`package_id` integer NOT NULL,
	`release_notes` text NOT NULL,
	`release_notes_html` text NOT NULL,
	`is_major` integer NOT NULL,
	`force_update` integer NOT NULL,
	`published_by` integer,
	`publisher_key_id` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`package_id`) REFERENCES `app_packages`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`publisher_key_id`) REFERENCES `publisher_keys`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `app_updates_version` ON `app_updates` (`version_code`);

CREATE INDEX `app_updates_package` ON `app_updates` (`package_id`);

CREATE INDEX `app_updates_key` ON `app_updates` (`publisher_key_id`);

CREATE TABLE `publisher_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`key_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);

CREATE UNIQUE INDEX `publisher_keys_hash` ON `publisher_keys` (`key_hash`);
