-- EXPAND 0.1.0

CREATE TABLE `acme_failures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`at` integer NOT NULL
);
