-- EXPAND 0.1.0

ALTER TABLE `activities` ADD `description_format` text DEFAULT 'PLAIN' NOT NULL;
