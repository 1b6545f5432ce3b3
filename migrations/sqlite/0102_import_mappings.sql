-- EXPAND 0.1.0

CREATE TABLE `asset_import_mappings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`headings` text NOT NULL,
	`headings_key` text NOT NULL,
	`options` text NOT NULL,
	`created_by` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);

CREATE UNIQUE INDEX `asset_import_mappings_name` ON `asset_import_mappings` (`owner`,`name_key`);

CREATE INDEX `asset_import_mappings_headings` ON `asset_import_mappings` (`owner`,`headings_key`,`updated_at`);

ALTER TABLE `asset_import_runs` ADD `locations` text;
