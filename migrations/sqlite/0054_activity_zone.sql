-- EXPAND 0.1.0

ALTER TABLE `activities` ADD `time_zone` text DEFAULT '' NOT NULL;

ALTER TABLE `activities` ADD `language` text DEFAULT 'en' NOT NULL;
