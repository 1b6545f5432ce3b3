-- EXPAND 0.1.0

ALTER TABLE `messages` ADD `edited_at` integer;
