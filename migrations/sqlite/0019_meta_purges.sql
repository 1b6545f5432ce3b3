CREATE TABLE `meta_purges` (
	`object_name` text NOT NULL,
	`target` integer NOT NULL,
	PRIMARY KEY(`object_name`, `target`)
);

DROP INDEX `meta_values_key`;

CREATE INDEX `meta_values_key` ON `meta_values` (`owner`,`field_id`,`key`,`entity_id`);
