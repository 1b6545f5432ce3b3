CREATE TABLE `asset_clean_ups` (
	`owner` integer NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`owner`, `user_id`)
);

CREATE INDEX `assets_all` ON `assets` (`deleted_at`,`created_at`,`id`);

CREATE INDEX `assets_user` ON `assets` (`user_id`,`deleted_at`,`created_at`,`id`);
