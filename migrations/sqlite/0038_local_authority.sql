-- EXPAND 0.1.0

CREATE TABLE `local_authority` (
	`id` integer PRIMARY KEY NOT NULL,
	`certificate` text NOT NULL,
	`sealed_key` text NOT NULL,
	`names` text NOT NULL,
	`created_at` integer NOT NULL
);
