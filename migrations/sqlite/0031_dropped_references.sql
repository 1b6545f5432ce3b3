ALTER TABLE `sync_receipts` ADD `dropped` text;
