CREATE TABLE `list_changes` (
	`list` text NOT NULL,
	`owner` integer NOT NULL,
	`n` integer NOT NULL
);

CREATE INDEX `list_changes_list` ON `list_changes` (`list`,`owner`);

CREATE TABLE `list_totals` (
	`list` text NOT NULL,
	`owner` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`list`, `owner`)
);
