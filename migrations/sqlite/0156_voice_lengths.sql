-- EXPAND 0.1.0

ALTER TABLE `files` ADD `duration_ms` integer;
