-- EXPAND 0.1.0

CREATE TABLE `label_profiles` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`name` text NOT NULL,
	`settings` text NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);

CREATE INDEX `label_profiles_list` ON `label_profiles` (`owner`,`name`,`id`);

ALTER TABLE `org_locations` ADD `uuid` text;

CREATE INDEX `org_locations_uuid` ON `org_locations` (`uuid`);

UPDATE `org_locations` SET `uuid` = lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' || substr('89ab', 1 + abs(random() % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)));
