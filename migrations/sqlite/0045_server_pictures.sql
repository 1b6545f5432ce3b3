-- EXPAND 0.1.0

CREATE TABLE `server_pictures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`blob_id` integer NOT NULL,
	FOREIGN KEY (`blob_id`) REFERENCES `blobs`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `server_pictures_name` ON `server_pictures` (`name`);
