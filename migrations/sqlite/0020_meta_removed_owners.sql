CREATE TABLE `meta_removed_owners` (
	`owner` integer PRIMARY KEY NOT NULL
);
