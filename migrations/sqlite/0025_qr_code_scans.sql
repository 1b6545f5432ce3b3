CREATE TABLE `qr_code_scans` (
	`qr_code_id` integer NOT NULL,
	`starts_at` integer NOT NULL,
	`scans` integer NOT NULL,
	PRIMARY KEY(`qr_code_id`, `starts_at`)
);

CREATE INDEX `qr_code_scans_age` ON `qr_code_scans` (`starts_at`);
