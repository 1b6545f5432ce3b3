-- EXPAND 0.1.0

CREATE TABLE `acme_accounts` (
	`directory` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`url` text,
	`email` text NOT NULL
);

CREATE TABLE `acme_challenges` (
	`token` text PRIMARY KEY NOT NULL,
	`answer` text NOT NULL,
	`expires_at` integer NOT NULL
);

CREATE TABLE `acme_orders` (
	`target` text PRIMARY KEY NOT NULL,
	`holder` text,
	`lease_until` integer NOT NULL,
	`key` text,
	`url` text,
	`failures` integer NOT NULL,
	`next_at` integer NOT NULL,
	`fault` text
);

CREATE TABLE `certificates` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`directory` text NOT NULL,
	`names` text NOT NULL,
	`chain` text NOT NULL,
	`key` text NOT NULL,
	`issuer` text NOT NULL,
	`serial` text NOT NULL,
	`not_before` integer NOT NULL,
	`not_after` integer NOT NULL,
	`renew_at` integer NOT NULL,
	`ask_at` integer NOT NULL,
	`warned_at` integer,
	`created_at` integer NOT NULL
);
