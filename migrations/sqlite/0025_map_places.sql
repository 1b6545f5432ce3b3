CREATE TABLE `asset_places` (
	`owner` integer NOT NULL,
	`cell` integer NOT NULL,
	`asset_id` integer NOT NULL,
	`latitude` real NOT NULL,
	`longitude` real NOT NULL,
	PRIMARY KEY(`owner`, `cell`, `asset_id`)
);

DROP INDEX `assets_place`;
