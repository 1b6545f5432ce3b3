-- EXPAND 0.1.0

CREATE TABLE `printed_addresses` (
	`address` text PRIMARY KEY NOT NULL,
	`printed` integer NOT NULL
);

CREATE TABLE `reach_checks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`token_hash` text NOT NULL,
	`url` text NOT NULL,
	`expires_at` integer NOT NULL,
	`visit` text,
	`visitor_hash` text
);

CREATE UNIQUE INDEX `reach_checks_token_hash_unique` ON `reach_checks` (`token_hash`);
