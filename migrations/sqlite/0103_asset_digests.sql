-- EXPAND 0.1.0

CREATE TABLE `asset_digest_runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`up_to` integer NOT NULL
);

CREATE TABLE `asset_digests` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`day` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

ALTER TABLE `notification_preferences` ADD `email_assets` text DEFAULT 'DAILY' NOT NULL;

ALTER TABLE `notification_preferences` ADD `digest_hour` integer DEFAULT 7 NOT NULL;

CREATE INDEX `asset_maintenance_dues_near` ON `asset_maintenance_dues` (`owner`,`soon_on`);
