-- EXPAND 0.1.0

CREATE TABLE `qr_scan_details` (
	`qr_code_id` integer NOT NULL,
	`day` integer NOT NULL,
	`is_month` integer DEFAULT false NOT NULL,
	`robots` integer NOT NULL,
	`visitors` integer NOT NULL,
	`details` text NOT NULL,
	PRIMARY KEY(`qr_code_id`, `day`)
);

CREATE INDEX `qr_scan_details_age` ON `qr_scan_details` (`is_month`,`day`);

CREATE TABLE `qr_scan_salts` (
	`day` integer PRIMARY KEY NOT NULL,
	`salt` text NOT NULL
);

CREATE TABLE `qr_scan_visitors` (
	`day` integer NOT NULL,
	`qr_code_id` integer NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`day`, `qr_code_id`, `hash`)
);
