-- EXPAND 0.1.0

CREATE TABLE `activity_kiosks` (
	`activity_id` integer PRIMARY KEY NOT NULL,
	`secret_hash` text NOT NULL,
	`secret` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`activity_id`) REFERENCES `activities`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `activity_kiosks_secret` ON `activity_kiosks` (`secret_hash`);

ALTER TABLE `activities` ADD `series_id` text;
